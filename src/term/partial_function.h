// Functions that are not defined everywhere, and of what that depends.
#pragma once

#include <optional>

#include "term/term.h"

namespace vouch {

// What the term divides by, if its head divides. Of integers, too.
std::optional<Term> divisor_of(Term term);
// The divisor of a function that may be one of integers: a run fails where it is 0. (Of floats it gives NaN.)
std::optional<Term> integer_divisor_of(Term term);
// Defined on a part of the real numbers: logarithms, roots, …, of one argument.
bool is_partial(Fn fn);
// A power that is defined wherever its base is.
bool is_whole_power(Term power);

}  // namespace vouch
