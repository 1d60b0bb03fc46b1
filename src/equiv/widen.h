// A graph in double precision: what it computes as a function of real numbers, with less rounding than its own.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "graph/graph.h"

namespace vouch {

// float32 becomes float64 in inputs, constants and attributes; a constant may be `changed` first. Nodes keep their numbers.
// Nothing if a call is ill-typed then.
std::optional<Graph> widened(const Graph& graph, const std::function<Tensor(NodeId, Tensor)>& changed = {});
Tensor widened(const Tensor& tensor);
// The nodes below `end`, as they are; without outputs.
Graph prefix(const Graph& graph, NodeId end);

}  // namespace vouch
