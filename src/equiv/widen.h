// A graph in double precision: what it computes as a function of real numbers, with less rounding than its own.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "graph/graph.h"

namespace vouch {

struct Widening {
  std::function<Tensor(Tensor)> changed = {};  // a constant or number may be another, once it is wide; in nested graphs, too
  std::vector<NodeId> stand_ins = {};          // if not empty: what is read in place of each node, an older one or itself
  bool each_body = false;                      // a graph that stands in several calls is widened in each by itself
};

struct WideGraph {
  Graph graph;
  std::vector<NodeId> at;  // by the nodes of the graph that it was made of; none for those that a rewrite erased
};

// float32 becomes float64 in inputs, constants and attributes; calls that take no float64 are made on what they take. Nothing if
// a call is ill-typed even so.
std::optional<WideGraph> widened(const Graph& graph, const Widening& how = {});
Tensor widened(const Tensor& tensor);
// The nodes below `end`, as they are; without outputs. `inputs`: if not empty, what types the inputs have there; then the nodes
// end before the first that is ill-typed.
Graph prefix(const Graph& graph, NodeId end, const std::vector<Type>& inputs = {});

}  // namespace vouch
