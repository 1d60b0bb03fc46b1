// Integer facts and what follows from them, by a solver that sees only linear arithmetic.
//
// A fact is a guard over integer terms. An `unsat` of facts and lemmas is a proof; nothing else is ever taken for one.
//
// Lemmas on `e // m` hold for m >= 1 only: they are used for divisors that have been shown positive from the base facts,
// inner divisors first (else a divisor that may be 0 would make everything provable).
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "facts/bounds.h"
#include "facts/ids.h"
#include "facts/lemmas.h"
#include "facts/product_equations.h"
#include "solver/solver.h"

namespace vouch {

// One query that was answered `unsat`, and so used: for SMT-LIB evidence.
struct QueryText {
  std::string name;
  Answer answer = Answer::Unknown;
  std::string script;
};

class Arithmetic {
 public:
  // `base` holds whatever else is assumed; divisors are judged by it alone.
  explicit Arithmetic(Facts base, bool keep_scripts = false, FamilyFacts families = {});

  const Facts& base() const { return base_; }
  const std::vector<ProductEquation>& base_products() const { return base_products_; }
  const Families& families() const { return families_.families; }
  // Does the goal follow from base and `more`?
  bool entails(const Facts& more, Term goal);
  // Are base and `more` contradictory?
  bool contradicts(const Facts& more);
  // Is it at least 1 by the base facts?
  bool is_positive(Term divisor);
  // What simplification made of an index term under some facts, for whoever simplifies it (simplify_index.cpp).
  using Simplified = std::unordered_map<UnderFacts, Term, UnderFactsHash>;
  Simplified& simplified() { return simplified_; }
  UnderFacts under(Term term, const Facts& facts) { return {term, lists_.of(facts)}; }
  // Answers are shared by all instances that this thread judges; a rule begins without any, so that its verdict does not
  // depend on the rules before it. `seed` is the solver's.
  static void begin_rule(std::uint32_t seed);

  // Another proof from the same facts: nothing is counted yet, and what followed still does.
  void begin_proof();
  // After this many questions, nothing more is found to follow: a proof ends soon, without a claim.
  void limit(std::size_t questions) { most_questions_ = questions; }
  bool exhausted() const { return questions_ >= most_questions_; }
  // Counts other work as a question; false: no more.
  bool spend() { return ++questions_ < most_questions_; }

  // Questions that this rule had not asked before: the same in every run. Points and earlier answers spare the solver most.
  std::size_t queries() const { return queries_; }
  std::size_t unknowns() const { return unknowns_; }
  double slowest_ms() const { return slowest_; }
  const std::vector<QueryText>& scripts() const { return scripts_; }

 private:
  bool derives(const Facts& more, Term goal);
  bool says(const Facts& more, Term goal) const;
  bool says_by_products(const Facts& more, Term goal) const;
  bool follows(const Facts& more, Term goal);  // by bounds, or by the solver
  Term with_exact_quotients(const Facts& more, Term goal);
  Facts relevant(const Facts& more, std::span<const Term> terms) const;
  bool unsat(const Facts& facts);
  const LowerBounds& bounds_under(const Facts& more);
  Ids key_of(const Facts& facts);

  Facts base_;
  LowerBounds base_bounds_;
  std::vector<ProductEquation> base_products_;
  FamilyFacts families_;
  std::vector<const std::vector<std::uint64_t>*> base_symbols_;  // of each base fact, as a set
  ListNumbers lists_;
  std::optional<LowerBounds> bounds_;  // under the facts of this number
  std::uint32_t bounds_list_ = 0;
  Simplified simplified_;
  std::unordered_map<Term, int> positive_;                         // 1 yes, 0 no, -1 being judged
  int judging_ = 0;                                                // divisors
  std::unordered_map<UnderFacts, bool, UnderFactsHash> answered_;  // of `entails`: the goal under the facts beyond the base
  std::vector<QueryText> scripts_;
  bool keep_scripts_ = false;
  std::size_t queries_ = 0;
  std::size_t questions_ = 0;
  std::size_t most_questions_ = std::numeric_limits<std::size_t>::max();
  std::size_t unknowns_ = 0;
  double slowest_ = 0;
};

}  // namespace vouch
