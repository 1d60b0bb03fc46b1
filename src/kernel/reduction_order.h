// The order in which the indices of a reduction run, and with it the order in which floats are added.
#pragma once

#include <vector>

#include "term/term.h"

namespace vouch {

// Positions in `reduce->bound`, outermost first: indices that guards or divisions mention, then the others, each group as
// written.
std::vector<std::size_t> reduction_order(Term reduce);

}  // namespace vouch
