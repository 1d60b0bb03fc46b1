// Parameter folding: calls whose operands are all parameters or constants are evaluated ahead of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "graph/graph.h"

namespace vouch {

// A fold never makes the model much larger: what it gives may have `factor` times the bytes of its operands (each counted once)
// and `slack` more, and all constants together no more than `most_bytes`. So a weight is folded, and a constant that is expanded
// to a large tensor stays what it is. More than a few bytes do not become as many floats, but with `unpack`: quantised weights
// stay bytes, which rules of quantised operators want, and which take a quarter of the memory.
struct FoldLimits {
  std::uint64_t factor = 4;
  std::uint64_t slack = std::uint64_t{1} << 20;
  std::uint64_t most_bytes = UINT64_MAX;
  bool unpack = false;
};

// For a whole run that begins with this graph: twice what its constants have, and 16 MiB.
FoldLimits fold_limits(const Graph& graph);

// Is shown each call and the parameter that takes its place, while both are there.
using FoldWatch = std::function<void(const Graph& graph, NodeId call, NodeId parameter)>;

// Returns how many calls were folded. A result takes the name of the call. Calls that fail to evaluate stay.
std::size_t fold_parameters(Graph& graph, const FoldLimits& limits = {}, const FoldWatch& watch = {});

}  // namespace vouch
