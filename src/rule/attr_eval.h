// Evaluation and matching of attribute expressions over concrete values: the rules AE-* and AM-* of the thesis
// (figures attr_eval, attr_match), by name at each case of attr_eval.cpp.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "rule/ast.h"

namespace vouch {

// Γ: values of symbols, innermost last.
using SymbolEnv = std::vector<std::pair<Symbol, std::int64_t>>;

// What a matcher knows: attr(M(p))(l).
class AttrSource {
 public:
  virtual ~AttrSource() = default;
  // Nothing if the pattern is not matched yet or has no such attribute.
  virtual std::optional<AttrValue> access(PatternId pattern, Symbol name, const SymbolEnv& symbols) const = 0;
  // Values of closed expressions that are remembered, by identity (section 4.5); by default none.
  virtual const AttrValue* remembered(AttrId /*attr*/) const { return nullptr; }
  virtual void remember(AttrId /*attr*/, const AttrValue& /*value*/) const {}
};

// Γ; a ⇓ v. Nothing if a part has no value (an access that fails, division by zero, mixed kinds, `any`).
std::optional<AttrValue> eval_attr(const Rule& rule, AttrId attr, const SymbolEnv& symbols, const AttrSource& source);

// Γ ⊢ a ≅ v.
bool match_attr(const Rule& rule, AttrId attr, const AttrValue& value, const SymbolEnv& symbols, const AttrSource& source);

// A condition: true only if it evaluates to true; undecided (symbolic sizes) is false.
bool holds(const Rule& rule, AttrId condition, const SymbolEnv& symbols, const AttrSource& source);

// Values agree: numbers by value whatever their sort, a number with a tuple of that number only.
bool same_value(const AttrValue& a, const AttrValue& b);

}  // namespace vouch
