// Evaluation and matching of attribute expressions: the rules AE-* and AM-* of the thesis (figures attr_eval, attr_match), by
// name at each case of attr_eval.cpp and attr_match.cpp.
//
// There is one account of each form. Rewriting reads it at numbers, the checker at terms (attr_number.h): what differs is only
// what an AttrSource answers. Evaluating at terms and then substituting numbers is evaluating at these numbers, wherever the
// first says anything; where it cannot, it says so by `not_expressible`.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "rule/ast.h"
#include "rule/attr_number.h"

namespace vouch {

// Γ: values of symbols (branch numbers, positions of tuples), integer terms, innermost last.
using SymbolEnv = std::vector<std::pair<Symbol, Term>>;

// Lists of an open number of items: values that only these functions look into.
class OpenLists {
 public:
  virtual ~OpenLists() = default;
  // Nothing if the value is no such list.
  virtual std::optional<Term> length(const AttrValue& list) const = 0;
  virtual std::optional<AttrValue> item(const AttrValue& list, Term position) const = 0;
  // An index for `steps` steps; then the list of `item` over it, or the sum. Nothing where that cannot be said.
  virtual Symbol begin(Term steps) = 0;
  virtual AttrValue list(Symbol index, Term steps, Term item) = 0;
  virtual std::optional<Term> sum(Symbol index, Term steps, Term item) = 0;
};

// What a matcher knows: attr(M(p))(l).
class AttrSource {
 public:
  virtual ~AttrSource() = default;
  // Nothing if the pattern is not matched yet or has no such attribute.
  virtual std::optional<AttrValue> access(PatternId pattern, Symbol name, const SymbolEnv& symbols) const = 0;
  // How many axes each role has; null where that is not known.
  virtual const AxisNumbers* axis_numbers() const { return nullptr; }
  // Values of closed expressions that are remembered, by identity (section 4.5); by default none.
  virtual const AttrValue* remembered(AttrId /*attr*/) const { return nullptr; }
  virtual void remember(AttrId /*attr*/, const AttrValue& /*value*/) const {}

  // Truth values and scalars that terms leave open are values. If not, they are none: then only open integers are.
  virtual bool is_open() const { return false; }
  // What `any` stands for where it is evaluated.
  virtual std::optional<AttrValue> any() const { return std::nullopt; }
  virtual bool is_any(const AttrValue& /*value*/) const { return false; }
  // A value may exist that terms cannot express: who takes `nothing` for "does not match" must not conclude anything from it.
  virtual void not_expressible(std::string_view /*what*/) const {}
  // An open divisor. False: it cannot be taken to be at least 1, and the quotient has no value.
  virtual bool divides_by(Term /*divisor*/) const { return false; }
  virtual OpenLists* lists() const { return nullptr; }
  // What stands for any element of a constant; then the condition on it as one on all of them. Nothing: none can be said.
  virtual std::optional<Term> any_element(PatternId /*constant*/) const { return std::nullopt; }
  virtual std::optional<Term> of_every_element(PatternId /*constant*/, Term /*element*/, Term /*condition*/) const {
    return std::nullopt;
  }
};

// Γ; a ⇓ v. Nothing if a part has no value (an access that fails, division by zero, mixed kinds, `any`).
std::optional<AttrValue> eval_attr(const Rule& rule, AttrId attr, const SymbolEnv& symbols, const AttrSource& source);

// Whether an expression is true, as a guard; nothing if it has no value.
std::optional<Term> eval_truth(const Rule& rule, AttrId attr, const SymbolEnv& symbols, const AttrSource& source);

// Where a condition is true, as a guard. Nothing if it has no value: then it is not true.
std::optional<Term> eval_condition(const Rule& rule, AttrId condition, const SymbolEnv& symbols, const AttrSource& source);

// A condition: true only if it evaluates to true; undecided (symbolic sizes) is false.
bool holds(const Rule& rule, AttrId condition, const SymbolEnv& symbols, const AttrSource& source);

// Γ ⊢ a ≅ v: where an expression matches a value, as a guard. A tuple matches only tuples of its length; `tuple[i](a)`, whose
// length is left out, those of any length.
Term match_guard(const Rule& rule, AttrId attr, const AttrValue& value, const SymbolEnv& symbols, const AttrSource& source);
// It matches for certain.
bool match_attr(const Rule& rule, AttrId attr, const AttrValue& value, const SymbolEnv& symbols, const AttrSource& source);

// Values agree for certain: numbers by value whatever their sort, a number with a tuple of that number only.
bool same_value(const AttrValue& a, const AttrValue& b);

}  // namespace vouch
