// The graphs inside If, Loop and Scan: rewritten as graphs of their own, whose captured values are inputs of which nothing is
// known but their types.
#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"

namespace vouch {

// A graph among the attributes of a call.
struct BodyPlace {
  NodeId call = kNoNode;
  std::string attribute;
  friend bool operator==(const BodyPlace&, const BodyPlace&) = default;
};

// From the outermost graph inwards; empty for the outermost itself.
using BodyPath = std::vector<BodyPlace>;

// Null if there is none. It lives until the process ends, as attributes do.
const Graph* body_at(const Graph& graph, const BodyPlace& place);

// Those that may be rewritten. The body of a loop or scan must give each carried value the type that it takes, but for sizes of
// which that says nothing: else what its inputs' types say holds for the first iteration alone.
std::vector<BodyPlace> rewritable_bodies(const Graph& graph);

// Whether one stands for the other wherever it is called: the same types of inputs and outputs.
bool same_interface(const Graph& a, const Graph& b);

// `Loop_3/body`, for people.
std::string place_text(const Graph& graph, const BodyPlace& place);

}  // namespace vouch
