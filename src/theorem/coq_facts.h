// What the proof text may rely on: the assumptions of an instance, as the checker reasons about them.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "algebra/equality.h"
#include "facts/short_quotients.h"
#include "facts/unit_equations.h"
#include "instance/instance.h"
#include "tensor/element.h"
#include "theorem/coq_term.h"

namespace vouch {

class CoqFacts {
 public:
  // With names for quotients that divide, or without.
  CoqFacts(const Instance& instance, CoqScalars scalars, bool name_quotients);

  bool entails(const Facts& more, Term goal);
  bool contradicts(const Facts& more);
  // Are two index terms equal?
  bool equal(Term a, Term b, const Facts& more);
  // Are two scalar terms equal over the reals?
  bool same(Term a, Term b, const Facts& more);
  Term prepared(Term term) const;
  // With sizes for their equals, and quotients, minima and choices that are known.
  Term simplified(Term term, const Facts& more);
  // Unknowns in terms of others, from the equations among the assumptions.
  std::vector<std::pair<Symbol, Term>> solved() const { return in_order(solved_); }
  const std::vector<NamedQuotient>& quotients() const { return quotients_; }
  // What is known of these.
  const Facts& of_quotients() const { return of_quotients_; }
  // Quotients of products that lose a factor of both.
  const std::vector<ShortQuotient>& shortened() const { return short_; }
  // Equations of two products without a factor that both have, which is at least 1.
  const Facts& shorter() const { return shorter_; }
  // Unknowns in terms of others and of these quotients.
  std::vector<std::pair<Symbol, Term>> solved_by_shortened() const { return in_order(by_short_); }
  // What the rule's conditions on every element say, part by part: of tensors of floats (whole numbers are stated as such).
  const std::vector<ElementCondition>& every() const { return every_; }
  // Is it one of the assumptions as it is written, or such a condition of an element that lies inside of its tensor?
  bool is_met(Term guard, const Facts& more);
  // Between which numbers the elements of a tensor of integers lie; nothing where the theorem is for other types, too.
  std::optional<NumberRange> elements_of(Symbol tensor) const;
  // Is it a tensor of integers, of whichever type?
  bool is_whole(Symbol tensor) const;
  Equality& matching() { return equality_; }

 private:
  static ElementTypes types_of(const Instance& instance);
  static std::vector<ElementCondition> conditions_of(const Instance& instance);
  bool lies_inside(Term read, const InputTensor& tensor, const Facts& more);
  static std::vector<Term> terms_of(const Instance& instance);
  static std::vector<std::pair<Symbol, Term>> in_order(const Substitution& equals);
  Facts with_equals(const Facts& facts) const;
  Facts facts_of(const Instance& instance, bool name_quotients);
  // Of integers, where comparisons of numbers that are integers are such: over any scalars they are not.
  Term of_integers(Term guard) const;
  Facts prepared(const Facts& more) const;
  Facts simplified(const Facts& facts);  // prepared ones

  CoqScalars scalars_;
  ElementTypes types_;
  std::vector<InputTensor> inputs_;
  std::vector<ElementCondition> every_;
  bool own_types_;
  Facts assumed_;
  Substitution solved_;
  std::vector<NamedQuotient> quotients_;
  Facts of_quotients_;
  std::vector<ShortQuotient> short_;
  Substitution by_short_;
  Facts shorter_;
  Arithmetic arithmetic_;
  FormBuilder forms_;
  Equality equality_;
};

}  // namespace vouch
