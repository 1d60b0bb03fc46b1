#include "check/assumptions.h"

#include <algorithm>

#include "facts/unit_equations.h"
#include "term/comparison.h"
#include "term/substitute.h"

namespace vouch {

Assumptions::Assumptions(const Instance& instance) {
  std::vector<Term> all = assumed(instance);
  std::vector<Term> quotients;
  solved_ = solve_units(all, &quotients);
  all.insert(all.end(), quotients.begin(), quotients.end());
  solve_families(instance.families, all);
  for (Term fact : all) {
    add_fact(without_remainders(solved(fact)));
  }
  for (Term fact : Facts(facts_)) {
    if (auto shorter = without_common_factor(fact, facts_)) {
      facts_.push_back(*shorter);
    }
  }
  for (const InputTensor& input : instance.inputs) {
    types_.emplace(input.name, input.type.dtype());
  }
  for (const ElementCondition& condition : instance.every) {
    const InputTensor& input = instance.inputs[condition.input];
    every_.try_emplace(input.name, condition.element, input.type.dtype())
        .first->second.add(without_remainders(solved(condition.guard)));
  }
}

Term Assumptions::solved(Term term) const {
  Term out = substitute(term, solved_);
  if (items_.empty() && derived_.empty()) {
    return out;
  }
  return replace_reads(out, [&](Symbol name, std::span<const Term> at) -> std::optional<Term> {
    for (const auto* known : {&items_, &derived_}) {
      if (auto found = known->find(name); found != known->end() && at.size() == 1) {
        return real_of(substitute(found->second, Symbol(kPositionIndex), at[0]));
      }
    }
    return std::nullopt;
  });
}

void Assumptions::add_fact(Term fact) {
  if (fact.kind() == TermKind::And) {
    for (Term part : fact.args()) {
      add_fact(part);
    }
  } else if (!is_true(fact)) {
    (speaks_of_scalars(fact) ? of_scalars_ : facts_).push_back(fact);
  }
}

// Facts on a branch hold for all; an equation that determines an item of each is substituted everywhere.
void Assumptions::solve_families(const Families& families, const std::vector<Term>& all) {
  families_.families = families;
  for (const Families::Range& range : families.ranges) {
    for (Term fact : all) {
      Term here = substitute(fact, solved_);
      if (mentions(here, range.index)) {
        families_.universals.push_back({range.index, range.length, range.from, without_remainders(here)});
        solve_item(here, range, all);
      }
    }
  }
  for (const auto& [name, defined] : families.defined) {
    families_.universals.push_back(
        {defined.index, defined.length, 0, eq(family_item(name, int_var(defined.index)), defined.size)});
  }
  rename_families(families);
  for (Universal& u : families_.universals) {
    u.guard = without_remainders(solved(u.guard));
  }
  std::erase_if(families_.universals, [](const Universal& u) { return is_true(u.guard); });
}

void Assumptions::solve_item(Term fact, const Families::Range& range, const std::vector<Term>& all) {
  if (fact.kind() != TermKind::IntEq) {
    return;
  }
  // Of the branches before `from`, which are first instances, it must have been said as well.
  for (std::int64_t k = 0; k < range.from; ++k) {
    Term there = substitute(fact, range.index, Term(k));
    if (!is_true(there) &&
        std::none_of(all.begin(), all.end(), [&](Term other) { return substitute(other, solved_) == there; })) {
      return;
    }
  }
  for (int side : {0, 1}) {
    auto item = as_family_item(fact.arg(static_cast<std::size_t>(side)));
    Term value = fact.arg(static_cast<std::size_t>(1 - side));
    if (!item || item->branch != int_var(range.index) || items_.contains(item->name)) {
      continue;
    }
    auto other = as_family_item(value);
    bool same_branch = other && other->branch == item->branch && !items_.contains(other->name);
    if (same_branch || !mentions(value, range.index)) {
      items_.emplace(item->name, substitute(value, range.index, int_var(Symbol(kPositionIndex))));
      return;
    }
  }
}

// Sums of items that are others, and positions among them, are sums of those and positions among those.
void Assumptions::rename_families(const Families& families) {
  Symbol k(kPositionIndex);
  for (const auto& [name, sum] : families.sums) {
    auto value = items_.find(sum.item);
    auto other = value == items_.end() ? std::nullopt : as_family_item(value->second);
    if (other && other->branch == int_var(k)) {
      Symbol renamed("sum of " + other->name.name());
      families_.families.sums.try_emplace(renamed, Families::PrefixSum{renamed, other->name, sum.least});
      derived_.emplace(name, family_item(renamed, int_var(k)));
    } else if (value != items_.end()) {
      derived_.emplace(name, value->second * int_var(k));
    }
  }
  for (const auto& [name, position] : families.positions) {
    Families::Position now = position;
    now.size = solved(position.size);
    now.before = solved(position.before);
    now.total = solved(position.total);
    now.length = solved(position.length);
    if (now.size == position.size && now.length == position.length) {
      families_.families.positions.insert_or_assign(name, now);
      continue;
    }
    now.find = position_name(now.length, now.size);
    derived_.emplace(name, mentions(now.size, k) ? family_item(now.find, int_var(k)) : floor_div(int_var(k), now.size));
    families_.families.positions.insert_or_assign(now.find, now);
  }
}

}  // namespace vouch
