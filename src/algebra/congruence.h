// Equality of scalar terms by congruence: both sides apply the same operations, in the same order, to elements read at equal
// indices, where choices on integers go the way that the facts say. What is congruent is equal bit for bit, and defined alike.
//
// No term is simplified but indices that differ; so this is tried before normal forms, and settles most of what moves data.
#pragma once

#include "algebra/equality.h"

namespace vouch {

class Congruence {
 public:
  Congruence(Equality& equality, Arithmetic& arithmetic) : equality_(equality), arithmetic_(arithmetic) {}

  // The scalar term with every minimum, maximum, quotient and choice of integers simplified that speaks of no bound index: once
  // for all of a proof, where these facts hold throughout.
  Term settled(Term scalar, const Facts& facts);
  // False: not shown.
  bool congruent(Term a, Term b, const Facts& facts);
  // The same of what goes over merged axes and of what goes over the axes apart, where scalars decide which elements count
  // (axes_apart.cpp); false, too, where there is no such choice.
  bool congruent_by_axes(Term a, Term b, const Facts& facts);

 private:
  bool same_head(Term a, Term b, const Facts& facts);
  bool same_reduction(Term a, Term b, const Facts& facts);
  bool same_guard(Term a, Term b, const Facts& facts);
  bool by_cases(Term guard, Term a, Term b, const Facts& facts);

  Equality& equality_;
  Arithmetic& arithmetic_;
  std::size_t fuel_ = 400;  // pairs of terms compared
  std::size_t next_name_ = 0;
};

}  // namespace vouch
