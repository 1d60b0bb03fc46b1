// Equations among assumptions in which an unknown stands alone with coefficient 1 or -1: solved, so that proofs see one
// name for one size.
#pragma once

#include <vector>

#include "term/substitute.h"

namespace vouch {

// Replacements that follow from the conditions. A factor that all monomials of an equation share cancels if it is known
// to be at least 1. Also scalar variables that equal a number. A variable v that m divides, m a product of variables, becomes
// m * q for a new variable q that stands for v // m; `more` takes what is known of such quotients
// (null: no new variables), and `quotients` which they are.
struct NamedQuotient {
  Symbol name;  // `dividend // divisor`, before anything is replaced in these
  Term dividend;
  Term divisor;
};
Substitution solve_units(const std::vector<Term>& conditions, std::vector<Term>* more,
                         std::vector<NamedQuotient>* quotients = nullptr);

}  // namespace vouch
