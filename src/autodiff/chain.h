// The chain rule on one summand's body.
#pragma once

#include <vector>

#include "support/diagnostic.h"
#include "term/term.h"

namespace vouch {

struct OccurrenceTerm {
  Term read;     // the occurrence
  Term guard;    // where the `select`s around it choose it
  Term partial;  // the derivative of the body by this occurrence, times the seed
};

// One for each occurrence of `tensor`, from left to right. A function without derivative here is refused by name.
std::optional<std::vector<OccurrenceTerm>> occurrences(Term body, Symbol tensor, Term seed, Diagnostics& diagnostics);

// Products and quotients without the ones and zeros that the chain rule leaves.
Term tidy_product(Term a, Term b);

}  // namespace vouch
