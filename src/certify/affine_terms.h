// Index terms and conditions of one statement, from terms over named indices and sizes.
#pragma once

#include <string>
#include <vector>

#include "certify/affine_value.h"
#include "certify/index_kernel.h"

namespace vouch {

// An index in scope, and how many values it has.
struct AffineIndex {
  Term name;
  array::Size extent;
};

class AffineTerms {
 public:
  // The indices in scope, from outside in; `sizes` are the names of the program's sizes.
  AffineTerms(const std::vector<AffineIndex>& scope, const std::vector<std::string>& sizes) : scope_(scope), sizes_(sizes) {}

  IndexTerm term(Term of);
  IndexCond condition(const AffineCondition& of);

  // The first term that is not affine, in the words of the program; empty if all are.
  const std::string& refusal() const { return refusal_; }

 private:
  IndexTerm atom(Term of);
  IndexTerm product(const Monomial& monomial);
  void refuse(Term of);

  const std::vector<AffineIndex>& scope_;
  const std::vector<std::string>& sizes_;
  std::string refusal_;
};

}  // namespace vouch
