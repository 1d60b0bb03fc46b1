// Guards that compare scalars and yet say something of integers: `real(i) == real(j)`, `select(g, 1, 0) != 0`.
#pragma once

#include "term/term.h"

namespace vouch {

// The same guard with such comparisons as integer facts; the tactic `integral_guards` (coq/tensor/Prove.v) does likewise.
Term integral_guard(Term guard);

}  // namespace vouch
