// The kernels of kernel.h, which operators mean, in index notation with loops.
#pragma once

#include "kernel/kernel.h"
#include "notation/tk_kernel.h"
#include "support/diagnostic.h"

namespace vouch {

// The same function. Sums become loops, those inside of other terms locals of their own; a product, maximum or minimum
// over an index becomes a local that is halved until one element is left, so about log2 of its extent statements. Tensors
// without axes get one of extent 1. Where no index of a maximum is inside its guard it is the lowest float, not minus infinity.
//
// Errors name what index notation does not have: sizes that are no numbers, subscripts that are data or not linear, scalar
// attributes without value. It computes in the widest float of its inputs and outputs, or else in their widest integer; in
// float64 where integers of 8 or 16 bits meet floats, or integers give a fraction: sums of their products are exact then.
DType computed_type(const Kernel& kernel);
std::optional<TkKernel> tk_from_kernel(const Kernel& kernel, Diagnostics& diagnostics);

}  // namespace vouch
