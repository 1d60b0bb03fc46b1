// Attribute expressions of a rule while an instance is made: attr_eval.h, at open terms.
#pragma once

#include "instance/family_book.h"
#include "rule/attr_eval.h"

namespace vouch {

using SymbolTerms = SymbolEnv;

// The marker that stands for `any` in a value; `is_any` recognises it.
AttrValue any_value();
bool is_any(const AttrValue& value);

// Tuples and sums of as many items as a variadic has branches.
class FamilyLists final : public OpenLists {
 public:
  explicit FamilyLists(FamilyBook& book) : book_(book) {}
  std::optional<Term> length(const AttrValue& list) const override;
  std::optional<AttrValue> item(const AttrValue& list, Term position) const override;
  Symbol begin(Term steps) override { return book_.fresh_index(steps); }
  AttrValue list(Symbol index, Term steps, Term item) override { return book_.list({index, steps, AttrValue(item)}); }
  std::optional<Term> sum(Symbol index, Term steps, Term item) override { return book_.prefix_sum(index, item, steps); }

 private:
  FamilyBook& book_;
};

// What is common to all instances: conditions stay open, `any` is a value.
class SymbolicSource : public AttrSource {
 public:
  bool is_open() const override { return true; }
  std::optional<AttrValue> any() const override { return any_value(); }
  bool is_any(const AttrValue& value) const override { return vouch::is_any(value); }
};

inline std::optional<AttrValue> eval_symbolic(const Rule& rule, AttrId attr, const SymbolTerms& symbols,
                                              const AttrSource& source) {
  return eval_attr(rule, attr, symbols, source);
}
inline std::optional<Term> symbolic_condition(const Rule& rule, AttrId attr, const SymbolTerms& symbols,
                                              const AttrSource& source) {
  return eval_condition(rule, attr, symbols, source);
}

}  // namespace vouch
