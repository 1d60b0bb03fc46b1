// Equations between integers that wrap around, and magnitudes of them, by what they compute modulo 2^w.
#pragma once

#include "instance/stores.h"

namespace vouch {

// The term with each equation between elements of one integer type divided by an odd number, which has an inverse modulo 2^w:
// 3x == 3y is x == y, x + 3 == 5 is x == 2. And with |-x| as |x|, also of the least number, which is its own negation.
// Equal element by element to what is given: of every type of integers that the proof is for, so that how wide they are is looked
// at only where it is for their own types alone.
Term with_wrapped_equations(const Stores& stores, bool own_types, Term term);

}  // namespace vouch
