// The extents of a kernel in index notation as sizes of the array language.
#pragma once

#include <unordered_set>

#include "array/size.h"
#include "notation/tk_kernel.h"

namespace vouch {

// Sizes of the array language are polynomials with natural coefficients. A quotient, or an extent with a difference, becomes
// a size variable of its own after the kernel's sizes, and two facts say which number it is.
class SizeTable {
 public:
  // Assumes that a size is at least 1 only where it may not be 0.
  explicit SizeTable(const TkKernel& kernel);

  // Of a term over sizes that is never negative; nothing if it has a remainder, or a quotient of what may be negative.
  std::optional<array::Size> of(Term extent);
  // Of an extent that `of` has nothing for: once for each.
  bool is_first_refusal(Term extent) { return refused_.insert(extent).second; }
  bool has(Symbol name) const { return sizes_.has(name); }

  const std::vector<std::string>& names() const { return names_; }
  const std::vector<array::SizeFact>& facts() const { return facts_; }

 private:
  // What is added and what is taken away.
  struct Parts {
    array::Size plus;
    array::Size minus;
  };
  std::optional<Parts> parts(Term term);
  std::optional<array::Size> quotient(Term division);
  // by * size <= whole < by * size + by
  std::optional<array::Size> defined(Term whole, const Integer& by);
  array::Size fresh();
  void assume(const array::Size& low, const array::Size& high);

  SizeFacts sizes_;
  std::vector<std::string> names_;
  std::vector<array::SizeFact> facts_;
  std::unordered_map<Term, array::Size> known_;
  std::unordered_set<Term> refused_;
};

}  // namespace vouch
