// What a rule says of every element of a constant, where a proof reads such elements.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "facts/arithmetic.h"
#include "tensor/dtype.h"
#include "term/term.h"

namespace vouch {

class EveryElement {
 public:
  // `element` stands for any of them: a scalar of floats, an integer of other types.
  EveryElement(Symbol element, DType dtype) : element_(element), dtype_(dtype), scalar_(is_float(dtype)) {}
  void add(Term guard);

  // What holds of an element that is read.
  std::vector<Term> facts_of(Term read) const;
  // Of integers: what holds of any element, its range among it.
  Facts whole_facts() const;
  // The same number, written so that it meets the guards whatever is read: where one is not strict (`v >= k`) as a choice, `v`
  // where it is more and `k` elsewhere. With `all`, where any other is not met, as a number that meets it.
  Term as_met(Term read, bool all) const;

 private:
  Term at(Term guard, Term read) const;
  Term example(Term guard) const;

  Symbol element_;
  DType dtype_;
  bool scalar_;
  std::vector<Term> guards_;
};

// Reads of these constants as such, and facts of those whose indices are all `outside` of reductions.
Term with_elements(Term term, const std::map<Symbol, EveryElement>& of, const std::set<Symbol>& outside,
                   std::vector<Term>& facts);

}  // namespace vouch
