// Equations between two products, as facts about shapes are (a reshape keeps the number of elements), used from left to right.
#pragma once

#include <optional>
#include <vector>

#include "facts/lemmas.h"

namespace vouch {

// The product of `from` equals that of `to`, all of which are variables.
struct ProductEquation {
  std::vector<Term> from;
  std::vector<Term> to;
};

// Those among the facts whose one side is a product of variables that comes first, or stands for one with other atoms.
std::vector<ProductEquation> product_equations(const Facts& facts);
// The integer term or guard with `to` wherever a monomial has the factors `from`.
Term rewritten(Term term, const std::vector<ProductEquation>& equations);
// a * b == a * c gives b == c where a >= 1 is among the facts; nothing for a fact that is not of that kind.
std::optional<Term> without_common_factor(Term fact, const Facts& facts);

}  // namespace vouch
