// A conditional whose condition is known is the branch that is taken.
#pragma once

#include <cstddef>

#include "graph/graph.h"

namespace vouch {

// Puts the calls of the branch in the place of each If whose condition is a constant, as far as the results have the types that
// the If has (branches of unlike sizes leave them open). Returns how many.
std::size_t inline_constant_ifs(Graph& graph);

}  // namespace vouch
