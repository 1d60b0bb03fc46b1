// The text form of terms, as in `b[o] + sum(c < I, r < R where r <= c) x[n, c + r] * w[o, c]`.
// `parse_term` reads it back.
#pragma once

#include <string>
#include <string_view>

#include "term/term.h"

namespace vouch {

std::string print_term(Term term);

std::string_view fn_name(Fn fn);
std::optional<Fn> parse_fn(std::string_view name);
int fn_arity(Fn fn);
std::string_view reduction_name(Reduction reduction);

}  // namespace vouch
