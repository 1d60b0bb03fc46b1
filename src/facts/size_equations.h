// What follows of equations between sizes where no unknown stands alone.
#pragma once

#include <optional>
#include <set>
#include <utility>

#include "term/term.h"

namespace vouch {

// Of p == 0 where p is a * (u - v) for variables u and v, and `a` a number above 0 and products of what is not negative: u and v,
// which are equal. So are two sizes that one padding makes the same.
std::optional<std::pair<Symbol, Symbol>> equal_variables(Term p, const std::set<Symbol>& not_negative);

// With the larger of two terms, and the smaller, where it is seen which that is (max(n - 1, 0) is n - 1 for n >= 1), and
// quotients without factors of both sides that are at least 1 (a * n // (b * n) is a // b).
Term settled(Term term, const std::set<Symbol>& positive);

// Of p == 0 in which a quotient stands alone: the quotient and what it is.
std::optional<std::pair<Term, Term>> known_quotient(Term p);

}  // namespace vouch
