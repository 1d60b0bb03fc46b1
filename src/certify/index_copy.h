// In which order the elements of a copy of an input are written.
#pragma once

#include "certify/index_plan.h"

namespace vouch {

// Of a copy whose lanes lie far apart in the input: of each lane what lies side by side, about a line of a cache, then the next
// lane's, so that no line is fetched once for each element. Nothing where lanes lie side by side, or a size has a name: then the
// order is the copy's own. `extents`: of the copy.
std::optional<IndexPlan> plan_copy(const IndexCopy& copy, const std::vector<array::Size>& extents);

}  // namespace vouch
