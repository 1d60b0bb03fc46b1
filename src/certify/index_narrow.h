// Plans for processors with fewer or smaller registers: the tiles of a plan, cut into tiles that fit those. All else of the plan
// stays, its copies too, so that one arrangement of what is read serves the versions for all processors.
#pragma once

#include "certify/index_plan.h"

namespace vouch {

// Of a kernel whose output has these extents, which are numbers. A tile of more rows or lanes than `target` has becomes several
// of one size; not where copies are made within a sum that is cut.
IndexPlan narrowed(const IndexPlan& plan, const std::vector<Integer>& extents, const TileTarget& target);

}  // namespace vouch
