// Where a graph's calls and inputs are drawn: in layers, each below all that it reads.
#pragma once

#include <vector>

#include "graph/graph.h"

namespace vouch {

struct DrawnNode {
  NodeId id = kNoNode;
  int layer = 0;   // 0 at the top
  int column = 0;  // in half columns, 0 in the middle; those of a layer are two apart
};

// Inputs and calls that the outputs need, operands first. Weights, tuples and projections are not drawn.
std::vector<DrawnNode> layered(const Graph& graph);
// The drawn nodes that an operand comes from: itself, or what it is a projection or a tuple of.
std::vector<NodeId> drawn_sources(const Graph& graph, NodeId operand);

}  // namespace vouch
