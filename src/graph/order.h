// Orders on graphs: reverse post-order (algorithm `rev_post`, definition 2.7) and successors ordered as in it
// (algorithm `succ_seq`, definition 2.8). Explicit stacks: depth never limits.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "graph/graph.h"

namespace vouch {

// Every node that the outputs need, operands before users, in the order that operand order fixes.
std::vector<NodeId> reverse_post_order(const Graph& graph);
void reverse_post_order(const Graph& graph, std::vector<NodeId>& order);  // replaces what is there

// The part of the graph above these roots that `enters` admits, operands before users. It is asked once of each node that is met,
// and nothing is looked at above a node that it refuses.
std::vector<NodeId> post_order_within(const Graph& graph, std::span<const NodeId> roots,
                                      const std::function<bool(NodeId)>& enters);

}  // namespace vouch
