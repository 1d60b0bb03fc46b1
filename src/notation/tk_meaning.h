// What kernels in index notation mean, in the terms of kernel.h.
#pragma once

#include "kernel/kernel.h"
#include "notation/tk_kernel.h"

namespace vouch {

// A summand over a box: where `guard` holds, `body` is added, for all loops from 0 to their extents.
struct BoxedSummand {
  std::vector<BoundIndex> loops;
  Term guard;  // bounds that are not constant included
  Term body;
  std::vector<Term> begins;  // of the summand's own loops, over the indices as they are written
};
BoxedSummand boxed(const TkKernel& kernel, const TkStatement& statement, const TkSummand& summand);

// begin <= name < end, each part of a maximum or minimum on its own.
Term loop_bounds(const TkLoop& loop);

// That the guard does not hold; disjunctions become conjunctions of what does not hold, in order, so that bounds of indices
// stand beside conditions on data.
Term opposite(Term guard);

// The element of a tensor; 0 where a subscript that is data is no position of its axis.
Term element_at(Symbol tensor, const std::vector<Term>& at, const std::vector<Term>& shape);
// The read, where this is what `element_at` gives for one subscript that is data.
std::optional<Term> gathered_read(const TkKernel& kernel, Term value);

// Is it linear in the indices, with coefficients up to 2^31, and with `//` and `%` of such terms by positive constants?
bool is_linear(Term subscript);
// The end of a sentence that says why it is not; empty where it is.
std::string_view why_not_linear(Term subscript);

// The element of a statement's target at its indices.
Term statement_value(const TkKernel& kernel, const TkStatement& statement);

// The same kernel: float, double and int are float32, float64 and int32.
Kernel as_kernel(const TkKernel& kernel);

}  // namespace vouch
