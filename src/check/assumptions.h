// What the conditions of an instance's source say. Equations with a lone unknown are solved, and what they determine is
// substituted everywhere.
#pragma once

#include <map>
#include <vector>

#include "algebra/normal_form.h"
#include "check/every_element.h"
#include "facts/arithmetic.h"
#include "instance/instance.h"

namespace vouch {

class Assumptions {
 public:
  explicit Assumptions(const Instance& instance);

  // The term, with what is determined in its place.
  Term solved(Term term) const;

  const Facts& facts() const { return facts_; }  // of integers
  const std::vector<Term>& of_scalars() const { return of_scalars_; }
  const FamilyFacts& families() const { return families_; }
  const std::map<Symbol, EveryElement>& of_elements() const { return every_; }  // by the constant
  const ElementTypes& types() const { return types_; }

 private:
  void add_fact(Term fact);
  void solve_families(const Families& families, const std::vector<Term>& all);
  void solve_item(Term fact, const Families::Range& range, const std::vector<Term>& all);
  void rename_families(const Families& families);

  Substitution solved_;
  std::map<Symbol, Term> items_;    // families of which item k is known by others (kPositionIndex stands for k)
  std::map<Symbol, Term> derived_;  // and sums and positions of such
  FamilyFacts families_;
  Facts facts_;
  std::vector<Term> of_scalars_;
  std::map<Symbol, EveryElement> every_;
  ElementTypes types_;
};

}  // namespace vouch
