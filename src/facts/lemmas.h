// What is known of quotients, minima, choices and products of unknowns, instantiated on the terms at hand.
//
// Ranges and trichotomy of `//`, comparison of two quotients with one divisor, bounds of quotients, products of facts. Every
// lemma is true of the integers, given the facts; those on `e // m` are used for divisors that are shown to be positive only.
#pragma once

#include <functional>

#include "facts/family.h"
#include "facts/index_terms.h"

namespace vouch {

using Facts = std::vector<Term>;

// What holds of every branch of a variadic of symbolic length: the guard, for from <= index < length.
struct Universal {
  Symbol index;
  Term length;
  std::int64_t from = 0;
  Term guard;
};
struct FamilyFacts {
  Families families;
  std::vector<Universal> universals;
};

// The facts, and lemmas on what occurs in them.
Facts with_lemmas(const Facts& facts, const FamilyFacts& families, const std::function<bool(Term)>& is_positive);

}  // namespace vouch
