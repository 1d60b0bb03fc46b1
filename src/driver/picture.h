// Pictures as Graphviz text, and as SVG through the `dot` program.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "graph/graph.h"
#include "support/diagnostic.h"

namespace vouch {

struct PictureStyle {
  std::unordered_map<NodeId, std::string> fill;  // colour of marked nodes (a match, say)
};

// A graph from top to bottom: calls as boxes with attributes, parameters small and grey, types on the edges' ends.
std::string picture_of_graph(const Graph& graph, const PictureStyle& style = {});

// Quotes for a Graphviz label.
std::string dot_quoted(std::string_view text);

// A picture by Graphviz' `dot`, in a format that it knows ("svg", "png"); reports if that program is missing or fails.
std::optional<std::string> render(const std::string& dot, std::string_view format, Diagnostics& diagnostics);

}  // namespace vouch
