// The arithmetic of scalar terms without their indices: a quick test whether two can be equal bit for bit.
#pragma once

#include "term/term.h"

namespace vouch {

// False: no choice of branches makes both the same arithmetic on the same tensors. True says nothing.
bool may_be_exact(Term a, Term b);

// Integers wrap around where they are stored; the ring laws survive that, comparisons, quotients and extrema of computed
// values do not. True if the term only adds, subtracts and multiplies what it reads (and picks by indices).
bool is_ring_only(Term scalar);
// The same where no number is a fraction and no element changes its type.
bool is_ring_of_integers(Term scalar);
// True if it computes nothing: it reads, compares and picks.
bool computes_nothing(Term scalar);

}  // namespace vouch
