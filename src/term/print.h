// The text form of terms, as in `b[o] + sum(c < I, r < R where r <= c) (x[n, c + r] * w[o, c])`; `parse_term` reads it
// back to the same term. `c < I` is written `c + 1 <= I`, its normal form. Scalar constants are `2.0`, `-3/4`; scalar
// variables `real eps`; an integer term as a scalar `real(n)`, a scalar as an index `int(t[i])`. Extrema are `min`,
// `max` of integers, `fmin`, `fmax` of scalars, `minimum`, `maximum` over bound indices.
#pragma once

#include <string>
#include <string_view>

#include "term/term.h"

namespace vouch {

std::string print_term(Term term);
// A name as terms print it: between backquotes unless it is a plain identifier that is no word of the language.
std::string print_name(Symbol name);
bool is_reserved(std::string_view word);

std::string_view fn_name(Fn fn);
std::optional<Fn> parse_fn(std::string_view name);
int fn_arity(Fn fn);
std::string_view reduction_name(Reduction reduction);

}  // namespace vouch
