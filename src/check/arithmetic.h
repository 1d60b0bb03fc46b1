// Integer facts and what follows from them, by a solver that sees only linear arithmetic.
//
// A fact is a guard over integer terms. Products of unknowns, `//`, minima and choices become unknowns of their own; what
// is known of them is added as lemmas, instantiated on the terms at hand: ranges and trichotomy of `//`, comparison of two
// quotients with one divisor, bounds of quotients, products of facts. Every lemma is true of the integers, so an `unsat` is
// a proof; nothing else is ever taken for one.
//
// Lemmas on `e // m` hold for m >= 1 only: they are used for divisors that have been shown positive from the base facts,
// inner divisors first (else a divisor that may be 0 would make everything provable).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "solver/solver.h"
#include "term/term.h"

namespace vouch {

using Facts = std::vector<Term>;

// One query that was answered `unsat` (and so used), or satisfiable: for SMT-LIB evidence.
struct QueryText {
  std::string name;
  Answer answer = Answer::Unknown;
  std::string script;
};

class Arithmetic {
 public:
  // `base` holds whatever else is assumed; divisors are judged by it alone.
  explicit Arithmetic(Facts base, bool keep_scripts = false);
  ~Arithmetic();

  const Facts& base() const { return base_; }
  // Does the goal follow from base and `more`?
  bool entails(const Facts& more, Term goal);
  // Are base and `more` contradictory?
  bool contradicts(const Facts& more);
  // Is it at least 1 by the base facts?
  bool is_positive(Term divisor);
  // `a % b` as `a - b * (a // b)`, and chains of minima and maxima without operands that others make redundant, everywhere
  // inside. Facts, goals and indices of proofs are in this form.
  static Term without_remainders(Term term);

  // Answers are shared by all instances that this thread judges; a rule begins without any, so that its verdict does not
  // depend on the rules before it.
  static void forget_answers();

  std::size_t queries() const { return queries_; }
  std::size_t unknowns() const { return unknowns_; }
  double slowest_ms() const { return slowest_; }
  const std::vector<QueryText>& scripts() const { return scripts_; }

 private:
  class Query;
  Facts relevant(const Facts& more, Term goal) const;
  bool unsat(const Facts& facts);
  std::vector<const void*> key_of(const Facts& facts);

  Facts base_;
  Solver& solver_;  // of this thread: a fresh one costs more than most proofs
  std::unordered_map<Term, int> positive_;  // 1 yes, 0 no, -1 being judged
  std::vector<QueryText> scripts_;
  bool keep_scripts_ = false;
  std::size_t queries_ = 0;
  std::size_t unknowns_ = 0;
  double slowest_ = 0;
};

// The integer variables and tensors that a term speaks of, remembered.
const std::vector<Symbol>& symbols_of(Term term);
bool mentions(Term term, Symbol symbol);
// Every atom of an integer term or guard that is no variable: quotients, minima, choices, data; inner ones first.
std::vector<Term> deep_atoms(Term term);

// whole * divisor + rest == e; divisor a single monomial, or e itself.
struct Division {
  Term whole;
  Term rest;
};
Division divide(Term e, Term divisor);

}  // namespace vouch
