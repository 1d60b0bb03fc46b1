// Pictures as Graphviz text, and as SVG through the `dot` program.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"
#include "support/diagnostic.h"

namespace vouch {

inline constexpr const char* kPictureRemoved = "#f6b3ad";
inline constexpr const char* kPictureAdded = "#bfe6b8";
inline constexpr const char* kPictureChanged = "#ffe08a";
// Beyond this many nodes parameters are lines in the boxes that read them, and attributes are shortened further: the rest of
// a label is in its tooltip.
inline constexpr std::size_t kManyNodes = 120;

struct PictureStyle {
  std::unordered_map<NodeId, std::string> fill;   // colour of marked nodes (a match, say)
  std::unordered_map<NodeId, std::string> notes;  // more text of a node, in its tooltip
  // Calls whose names (`/encoder/layer0/MatMul`) agree in this many parts, and have more, are one box; 0: none are.
  std::size_t scope_depth = 0;
  // Another graph some of whose nodes are drawn too, as removed; `partners` of its other nodes are nodes of this one.
  const Graph* removed = nullptr;
  std::vector<NodeId> removed_nodes;
  std::map<NodeId, NodeId> partners;
};

// A graph from top to bottom: calls as boxes with attributes, parameters small and grey, types on the edges' ends.
std::string picture_of_graph(const Graph& graph, const PictureStyle& style = {});

// The first parts of a name such as `/a/b/Conv_output`; empty if there are not more of them.
std::string scope_of(const std::string& name, std::size_t depth);

// Quotes for a Graphviz label.
std::string dot_quoted(std::string_view text);

// A picture by Graphviz' `dot`, in a format that it knows ("svg", "png"); reports if that program is missing or fails.
std::optional<std::string> render(const std::string& dot, std::string_view format, Diagnostics& diagnostics);

}  // namespace vouch
