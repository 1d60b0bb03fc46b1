// Quotients of products of sizes, without the factors that dividend and divisor share: x * y // (x * z) is y // z where x >= 1.
#pragma once

#include <vector>

#include "facts/lemmas.h"
#include "term/substitute.h"

namespace vouch {

struct ShortQuotient {
  struct Written {
    Term quotient;  // as terms have it, before anything is replaced
    Term factor;    // its dividend and divisor, with sizes for their equals, are this factor times those below
  };
  Symbol name;  // stands for dividend // divisor
  Term dividend;
  Term divisor;
  std::vector<Written> written;
};

// Those of the terms of which one has a factor to lose; all their factors are variables that the facts say to be at least 1, once
// sizes are replaced by their equals.
std::vector<ShortQuotient> short_quotients(const std::vector<Term>& terms, const Substitution& equals, const Facts& facts);

// With the names for the quotients, shared factors or not; sizes have been replaced by their equals.
Term with_names(Term term, const std::vector<ShortQuotient>& quotients);

}  // namespace vouch
