// Attribute expressions over symbolic values: what attr_eval.h says, with terms for numbers. A truth value is a guard
// (a term of sort Bool); a number where a truth value is wanted is `!= 0`, as there. On concrete values both agree.
//
// Beyond attr_eval, divisors may be symbolic: each is reported, to be at least 1.
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "check/family.h"
#include "rule/ast.h"

namespace vouch {

// Symbols in scope (branch numbers, positions of tuples), innermost last; values are integer terms.
using SymbolTerms = std::vector<std::pair<Symbol, Term>>;

struct SymbolicAccess {
  // The value of `pattern.name`; nothing if it has none.
  std::function<std::optional<AttrValue>(PatternId pattern, Symbol name, const SymbolTerms& symbols)> access;
  // Called with each symbolic divisor: the value exists only where it is at least 1.
  std::function<void(Term divisor)> divides_by;
  // Called where a value may exist that terms cannot express (a number of steps that is a size, say): who takes `nothing` for
  // "does not match" must then not conclude anything from it.
  std::function<void(std::string_view what)> not_expressible;
  // For tuples and sums of a symbolic number of steps; null: these are not expressible.
  FamilyBook* book = nullptr;
};

// The marker that stands for `any` in a value; `is_any` recognises it.
AttrValue any_value();
bool is_any(const AttrValue& value);

// Nothing if a part has no value.
std::optional<AttrValue> eval_symbolic(const Rule& rule, AttrId attr, const SymbolTerms& symbols, const SymbolicAccess& source);
// A condition as a guard; nothing if it has no value (then a match fails).
std::optional<Term> symbolic_condition(const Rule& rule, AttrId attr, const SymbolTerms& symbols, const SymbolicAccess& source);
// Where two values are equal: false if they are of different kinds or lengths.
Term values_equal(const AttrValue& a, const AttrValue& b);

}  // namespace vouch
