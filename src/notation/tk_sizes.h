// Sizes that have names, and what is known of them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "term/term.h"

namespace vouch {

// Each name is at least 1, each condition at least 0. A size that may be 0 as well (tk_empty.h) is at least 1 wherever something
// is computed that has to do with it.
struct SizeFacts {
  std::vector<Symbol> names;
  std::vector<Term> conditions;

  bool has(Symbol name) const;
  // The condition, unless it is known already, of sizes that are at least `least` (0 or 1).
  void assume(Term condition, int least = 1);
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

// Is the term, over sizes alone, at least 0 for all sizes from `least` (0 or 1) on? Only `true` is proven: quotients are taken
// as fractions, and negative coefficients made up for by multiples of conditions.
bool nonnegative(Term term, const SizeFacts& facts, int least = 1);

// Roughly how large a term over sizes is, where the sizes named first are the larger ones; to choose by, not to conclude from.
Integer nominal(Term term, const SizeFacts& facts);

// Of a term's variables those that are no sizes.
std::vector<Symbol> index_variables(Term term, const SizeFacts& facts);

}  // namespace vouch
