// Equations of whole numbers that hold of integers which wrap around, too.
//
// The real algebra takes stores away. Let two terms be equal so, for all values of what is read and whatever functions the
// conversions are, and let all their stores of integers be of one type, modulo 2^w. Where a stored integer reaches only sums,
// differences and products of whole numbers, further stores, choices among such, and conversions of elements of this type, the
// terms with their stores are those without, modulo 2^w, with each conversion reading its argument modulo 2^w: so they are equal.
#pragma once

#include "instance/stores.h"

namespace vouch {

// Both with their stores; false if it is not known.
bool survives_wrapping(const Stores& stores, Term source, Term target);

bool has_conversions(Term term);

}  // namespace vouch
