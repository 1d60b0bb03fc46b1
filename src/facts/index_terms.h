// Looking into index terms: what they speak of, their atoms, division by a monomial. All answers are remembered by each thread.
#pragma once

#include <compare>
#include <vector>

#include "term/term.h"

namespace vouch {

// By structure, and so the same in every run.
struct TermOrder {
  bool operator()(Term a, Term b) const { return compare(a, b) < 0; }
};

// The integer variables and tensors that a term speaks of, in order.
const std::vector<Symbol>& symbols_of(Term term);
bool mentions(Term term, Symbol symbol);
bool mentions_any(Term term, const std::vector<Symbol>& names);
// Every atom of an integer term or guard that is no variable: quotients, minima, choices, data; inner ones first.
std::vector<Term> deep_atoms(Term term);
// The divisors of all quotients inside, those within reads of data included.
const std::vector<Term>& divisors_of(Term term);
const std::vector<Monomial>& monomials_of(Term integer);

// What a guard is linear in: its atoms that are no variables (not those inside them, but for the indices of data), and its
// products of two or more atoms.
struct Occurrences {
  std::vector<Term> atoms;
  std::vector<std::vector<Term>> products;
};
const Occurrences& occurrences(Term guard);

// `a % b` as `a - b * (a // b)`, and chains of minima and maxima without operands that others make redundant, everywhere
// inside. Facts, goals and indices of proofs are in this form.
Term without_remainders(Term term);
// The term with `by` for every `atom`, which may be any part of it; indices that are data stay as they are.
Term replaced(Term term, Term atom, Term by);

// whole * divisor + rest == e; divisor a single monomial, or e itself.
struct Division {
  Term whole;
  Term rest;
};
Division divide(Term e, Term divisor);

}  // namespace vouch
