// How far parameters are off, through all folds together.
#pragma once

#include "equiv/equiv.h"

namespace vouch {

// The largest relative difference along any chain of steps between two tensors of one class: a tensor that was folded to another,
// which was folded to a third, is off by both, (1 + e)(1 + f) - 1. Rounded up.
double compounded_bound(const std::vector<EquivStep>& steps);

}  // namespace vouch
