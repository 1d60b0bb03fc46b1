// Reads at indices that are data: in the form that index notation has, or as sums.
#pragma once

#include <functional>

#include "kernel/kernel.h"

namespace vouch {

// A read `x[…, e, …]` whose only subscript e that depends on elements of tensors is computed from signed integers, and where x is
// held as what its statement computes in, is a read at e, or zero where e is outside of its axis (notation/tk_meaning.h). Any
// other becomes the sum over v of x[…, v, …] where e is v: a new local holds 1 where e is v and 0 elsewhere; so an index outside
// reads zero, too, and a negative zero is read as zero. `plain(x)`: no element of x is infinite or NaN, so that a product can
// choose. Comparisons of integers that are data compare elements. What is beyond 2^22 positions, or computed by other than sums,
// products, minima, maxima and choices, stays as it is.
void take_data_reads_apart(Kernel& kernel, const std::function<bool(Symbol)>& plain);

}  // namespace vouch
