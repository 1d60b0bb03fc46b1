// Clean-up passes that need no rule: each preserves every output bit for bit.
#pragma once

#include <cstddef>

#include "graph/graph.h"

namespace vouch {

// Merges calls, tuples, projections and constants of one form (same operator, attributes, operands or value) into the
// first of them in reverse post-order; parameters of equal value are merged too, into one that has a name of its own if any has.
// Inputs, opaque calls and calls that may draw random numbers stay apart.
// Returns how many nodes were merged away. O(nodes + edges).
std::size_t merge_common_subexpressions(Graph& graph);

// Whether two nodes of this node's form have the same value: not so of opaque calls, nor of calls that may draw random numbers.
bool has_value_of_its_form(const Graph& graph, NodeId node);

// Erases every node that no output needs, inputs excepted. Returns how many. O(nodes + edges).
std::size_t remove_dead_nodes(Graph& graph);

// A projection of a tuple construction becomes the item itself. Returns how many.
std::size_t forward_projections(Graph& graph);

}  // namespace vouch
