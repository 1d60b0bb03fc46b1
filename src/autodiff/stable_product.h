// Products of derivatives, written so that they do not overflow where their value is a float.
#pragma once

#include "term/term.h"

namespace vouch {

struct StableProduct {
  Term term;
  bool divides_numbers = false;  // by laws that a ring with exponentials need not have: 2 * x / 2 is x
};

// The same over the reals, wherever it is defined. An exponential over a sum of positive parts that it is one of becomes the
// reciprocal of a sum: exp(u) / (c + exp(u)) is 1 / (c * exp(-u) + 1), which is between 0 and 1 whatever u is. One that is
// multiplied by the exponential of something with it in it joins that: exp(u) * exp(-exp(u)) is exp(u - exp(u)). Such sums that
// stand above and below are left out. Other products are left as they are.
StableProduct stable_product(Term product);

}  // namespace vouch
