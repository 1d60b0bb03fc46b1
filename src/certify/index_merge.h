// Neighbouring axes of the output that are one to all who read along them: a 1x1 convolution's rows and columns, a batch and the
// rows of its matrices. As one axis they fill more tiles.
#pragma once

#include "certify/index_plan.h"

namespace vouch {

struct MergedAxes {
  IndexKernel kernel;    // the output has one axis less; inputs have the types that they had
  std::size_t axis = 0;  // both
  Integer count;         // positions of the first
  Integer width;         // and of the second
};

// The last two such axes, if sizes are numbers.
std::optional<MergedAxes> merge_axes(const IndexKernel& kernel);

// A plan of the kernel from one of the merged one.
IndexPlan after_merging(const MergedAxes& merged, IndexPlan plan);

}  // namespace vouch
