// The first lines of proofs about an instance: sizes that equal others, so that what follows may replace them.
#pragma once

#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "theorem/coq_instance.h"

namespace vouch {

class CoqUnits {
 public:
  explicit CoqUnits(CoqInstance& of) : of_(of) {}

  std::string lines();

 private:
  void assert_equals(const std::vector<std::pair<Symbol, Term>>& equals, std::string& out);
  void shorten(const ShortQuotient& q, std::string& out);
  void settle_choices(Term term, std::unordered_set<Term>& seen, std::string& out);

  CoqInstance& of_;
};

}  // namespace vouch
