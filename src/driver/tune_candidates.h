// Schedules that may be faster than the planner's own: what the planner makes for other tiles, caches and copies; by choice, what
// it makes of sums in other orders.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "certify/index_plan.h"

namespace vouch {

struct TuneCandidate {
  std::string what;                   // for people: `tiles of 6 x 64`
  std::optional<TileTarget> target;   // what the planner was asked for; none: it was not asked
  std::optional<IndexTiling> tiling;  // none: element by element
  std::string schedule;               // its text
};

// The planner's first, then tiles of other forms, then `own`, if there is one, then the kernel element by element, then sums in
// other orders, if `reorder`; no schedule twice.
std::vector<TuneCandidate> first_candidates(const IndexKernel& kernel, const std::optional<std::optional<IndexTiling>>& own,
                                            const TileTarget& usual, bool reorder);
// They add in the same order, and so have the same bits.
bool same_order(const TuneCandidate& a, const TuneCandidate& b);

// Other caches and copies for those tiles; those that are new beside `known`.
std::vector<TuneCandidate> candidates_near(const IndexKernel& kernel, const TileTarget& best,
                                           const std::vector<TuneCandidate>& known);

}  // namespace vouch
