// Constant boxes around the domains of kernels whose loops have symbolic bounds.
#pragma once

#include "notation/tk_interval.h"
#include "notation/tk_kernel.h"

namespace vouch {

// The ranges of a statement's indices.
Box statement_box(const TkKernel& kernel, const TkStatement& statement);

// Of the indices and the summand's loops; for an empty loop `low` may exceed `high`.
Box summand_box(const TkKernel& kernel, const TkStatement& statement, const TkSummand& summand);

// The range of a loop's variable, given the box of what its bounds name. Bounds may be maxima and minima.
Interval loop_range(const TkLoop& loop, const Box& box);

// An upper bound of a sum over a box that takes quotients as fractions: of `h//2 + 1 + (2 - h)//2` it is 2.
std::optional<Term> upper_bound(Term term, const Box& box);

// Where a loop may run: all its values lie in `begin <= name < begin + count`.
struct LoopFrame {
  Term begin;  // a constant, or a bound of the loop
  Term count;  // over sizes
};

// The shortest frame; of two of one length the one with a constant begin. Where sizes leave open which is shorter, by guess.
LoopFrame shortest_frame(const TkLoop& loop, const Box& box);

}  // namespace vouch
