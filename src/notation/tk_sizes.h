// Sizes that have names, and what is known of them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "term/term.h"

namespace vouch {

// Each name is at least 1, each condition at least 0.
struct SizeFacts {
  std::vector<Symbol> names;
  std::vector<Term> conditions;

  bool has(Symbol name) const;
  // The condition, unless it is known already.
  void assume(Term condition);
};

// term = dividend // divisor + rest, where that is its only quotient: then c <= term exactly if divisor * c <= dividend +
// divisor * rest, so `whole` = dividend + divisor * rest says what the term's sign is.
struct OneQuotient {
  Term whole;
  Integer divisor;
};
std::optional<OneQuotient> one_quotient(Term term);

// The number that an integer term is.
std::optional<Integer> number_of(Term term);

// Is the term, over sizes alone, at least 0 for all sizes? Only `true` is proven: quotients are taken as fractions, and negative
// coefficients made up for by multiples of conditions.
bool nonnegative(Term term, const SizeFacts& facts);

// Roughly how large a term over sizes is, where the sizes named first are the larger ones; to choose by, not to conclude from.
Integer nominal(Term term, const SizeFacts& facts);

// Of a term's variables those that are no sizes.
std::vector<Symbol> index_variables(Term term, const SizeFacts& facts);

}  // namespace vouch
