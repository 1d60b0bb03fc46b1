// Plans of products whose sizes have names: full tiles, and what they leave.
#pragma once

#include "certify/index_plan.h"

namespace vouch {

// Of a sum whose terms read one input along the last axis of the output and others along the axis before it, where some size has
// a name; nothing for other kernels.
std::optional<IndexTiling> plan_named(const IndexKernel& kernel, const TileTarget& target);

}  // namespace vouch
