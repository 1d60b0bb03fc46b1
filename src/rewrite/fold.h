// Parameter folding: calls whose operands are all parameters or constants are evaluated ahead of time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "graph/graph.h"

namespace vouch {

struct FoldOptions {
  // A result may have this many elements more than its operands together (so that a weight is folded, and a constant that
  // is expanded to a large tensor is not).
  std::int64_t most_growth = 1 << 16;
};

// Returns how many calls were folded. A result takes the name of the call. Calls that fail to evaluate stay.
std::size_t fold_parameters(Graph& graph, const FoldOptions& options = {});

}  // namespace vouch
