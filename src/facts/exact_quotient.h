// Quotients that leave no rest, as equations among the facts say: a size that a reshape infers is the number of elements over the
// other sizes, and what is divided by it and some of those gives the rest of them.
#pragma once

#include <optional>

#include "facts/lemmas.h"

namespace vouch {

// The quotient `e // m` of which the fact says that e == m * (e // m).
std::optional<Term> exact_quotient_of(Term fact);
// q with e == m * q by an equation among the facts, used once: so q is `e // m` where m >= 1.
std::optional<Term> quotient_by_equation(Term e, Term m, const Facts& facts);

}  // namespace vouch
