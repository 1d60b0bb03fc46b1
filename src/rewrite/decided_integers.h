// Integers that no specification decides: what a float that is NaN, or beyond the numbers of the type, becomes as an integer, and
// a power of integers that is too large or divides by 0. Runtimes and machines differ there, so such a call is left to them.
// (Sums and products of integers wrap around everywhere.)
#pragma once

#include <vector>

#include "graph/eval.h"
#include "graph/graph.h"

namespace vouch {

// Are all elements that the call gives of these operands decided? True of whatever gives no integers.
bool integers_are_decided(const Graph& graph, NodeId call, const std::vector<EvalValue>& operands);

}  // namespace vouch
