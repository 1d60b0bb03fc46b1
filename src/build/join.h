// Concatenations that are no calls: what they put together is computed where the whole is read.
#pragma once

#include <set>
#include <vector>

#include "build/fuse.h"

namespace vouch {

// Calls that only put values one after the other are gone; their results have pieces. A value is a piece of one other at most,
// and none of `kept`, which lie elsewhere.
void join(std::vector<LoweredCall>& calls, std::vector<PlanValue>& values, const std::set<ValueId>& kept);

}  // namespace vouch
