// Functions that are not defined everywhere, and of what that depends.
#pragma once

#include <optional>

#include "term/term.h"

namespace vouch {

// What the term divides by, if its head divides. Of integers, too.
std::optional<Term> divisor_of(Term term);
// The divisor of a function that may be one of integers: a run fails where it is 0. (Of floats it gives NaN.)
std::optional<Term> integer_divisor_of(Term term);
// Where a function of one argument has a value: from the one number to the other, with these ends or without them.
struct Domain {
  std::optional<int> from;
  std::optional<int> to;
  bool ends = true;
};
// Of those that have one on a part of the real numbers: logarithms, roots, ….
std::optional<Domain> domain_of(Fn fn);
bool is_partial(Fn fn);
// A power that is defined wherever its base is.
bool is_whole_power(Term power);
// A call of a function that is partial, powers that are not whole among them.
bool is_partial_call(Term term);

}  // namespace vouch
