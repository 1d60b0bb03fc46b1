// What is known of quotients, minima, choices and products of unknowns, instantiated on the terms at hand.
//
// Ranges and trichotomy of `//`, comparison of two quotients with one divisor, bounds of quotients, products of facts. Every
// lemma is true of the integers, given the facts; those on `e // m` are used for divisors that are shown to be positive only.
#pragma once

#include <functional>

#include "check/index_terms.h"

namespace vouch {

using Facts = std::vector<Term>;

// The facts, and lemmas on what occurs in them.
Facts with_lemmas(const Facts& facts, const std::function<bool(Term)>& is_positive);

}  // namespace vouch
