// Indices that are data, in kernels that have none.
#pragma once

#include <functional>

#include "kernel/kernel.h"

namespace vouch {

// A read `x[…, e, …]` whose subscript e depends on elements of tensors becomes the sum over v of x[…, v, …] where e is v: a new
// local holds 1 where e is v and 0 elsewhere. So an index outside of its axis reads zero, and a negative zero is read as zero.
// `plain(x)`: no element of x is infinite or NaN, so that a product can choose. Comparisons of integers that are data compare
// elements. What is beyond 2^22 positions, or computed by other than sums, products, minima, maxima and choices, stays as it is.
void take_data_reads_apart(Kernel& kernel, const std::function<bool(Symbol)>& plain);

}  // namespace vouch
