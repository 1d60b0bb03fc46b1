// Sizes for inputs that leave some open.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "graph/graph.h"

namespace vouch {

using Sizes = std::map<Symbol, std::int64_t>;

// Sizes that suit a model are not known: those of the inputs that were `given` (none, or one tensor for each input), in larger
// batches, then small ones; larger ones as `round` grows; in the end small ones under which the conditions of the graph hold
// (a length that is the sum of two others; less than a table has rows). `uneven`: given ones become such that halving leaves them
// odd, time and again, since what is padded or cut off shows at odd sizes alone.
std::vector<Sizes> sizes_to_try(const Graph& graph, const std::vector<Tensor>& given, std::size_t round, bool uneven);

}  // namespace vouch
