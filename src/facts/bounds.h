// Lower bounds of index terms, read off the facts: most of what is asked is that a sum of what is not negative is not negative,
// or that a product of sizes is at least 1, and no solver need be asked for that.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "facts/lemmas.h"

namespace vouch {

class LowerBounds {
 public:
  // `outer` is kept, and holds as well.
  explicit LowerBounds(const Facts& facts, const LowerBounds* outer = nullptr);
  // Does `a <= b` follow? False: not by bounds alone.
  bool entails(Term goal) const;
  // Nothing: none is known.
  std::optional<Integer> of(Term integer) const;

 private:
  std::optional<Integer> of_atom(Term atom) const;
  std::optional<Integer> of_quotient(Term quotient) const;
  static std::optional<Integer> most_of(Term term);
  bool is_exact(Term quotient) const { return exact_.contains(quotient) || (outer_ != nullptr && outer_->is_exact(quotient)); }

  const LowerBounds* outer_;
  std::unordered_map<Term, Integer> atoms_;
  std::unordered_set<Term> exact_;  // quotients without a rest
};

}  // namespace vouch
