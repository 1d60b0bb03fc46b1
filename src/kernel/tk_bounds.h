// Constant boxes around the domains of kernels whose loops have symbolic bounds.
#pragma once

#include "kernel/tk_interval.h"
#include "kernel/tk_kernel.h"

namespace vouch {

// The ranges of a statement's indices.
Box statement_box(const TkKernel& kernel, const TkStatement& statement);

// Of the indices and the summand's loops; for an empty loop `low` may exceed `high`.
Box summand_box(const TkKernel& kernel, const TkStatement& statement, const TkSummand& summand);

// The range of a loop's variable, given the box of what its bounds name. Bounds may be maxima and minima.
Interval loop_range(const TkLoop& loop, const Box& box);

}  // namespace vouch
