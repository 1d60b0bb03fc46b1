// A tensor as elements of another type.
#pragma once

#include "graph/graph.h"

namespace vouch {

// The node itself where it has that type. It must be a tensor.
NodeId add_conversion(Graph& graph, NodeId node, DType to);

}  // namespace vouch
