// Sums as C in tiles: a few rows (an axis whose steps read the same vector) by some lanes (the last axis) are summed at
// once in arrays of their own, which compilers keep in vector registers.
//
// Bounds and conditions that name the last axis, `0 <= w - s < 56`, become a window of the lanes, the bounds of the loop over
// them: gcc makes no vectors of conditions inside. Each element adds up the same terms in the same order as in plain loops.
#pragma once

#include <optional>
#include <string>

#include "kernel/c_terms.h"

namespace vouch {

struct TilePlan {
  std::size_t rows_axis = 0;  // the last axis: there are no rows
  std::int64_t rows = 1;
  std::int64_t lanes = 0;
};

// Nothing where the last axis is short, is read in steps other than 1, or takes part in conditions that are no window.
std::optional<TilePlan> plan_tiles(const TkKernel& kernel, const TkStatement& statement);

// The loops of the statement; each nest is an OpenMP loop.
std::string print_tiles(const TkKernel& kernel, const TkStatement& statement, const TilePlan& plan, const CTerms& terms);

}  // namespace vouch
