#include "kernel/tk_interval.h"

#include <algorithm>

#include "term/eval.h"

namespace vouch {
namespace {

Interval scaled(const Interval& a, const Integer& factor) {
  Interval out;
  if (a.low) {
    (factor > 0 ? out.low : out.high) = *a.low * factor;
  }
  if (a.high) {
    (factor > 0 ? out.high : out.low) = *a.high * factor;
  }
  return out;
}

Interval added(const Interval& a, const Interval& b) {
  Interval out;
  if (a.low && b.low) {
    out.low = *a.low + *b.low;
  }
  if (a.high && b.high) {
    out.high = *a.high + *b.high;
  }
  return out;
}

Interval atom_range(Term atom, const Box& box) {
  if (atom.kind() == TermKind::IntVar) {
    auto found = box.find(atom->symbol);
    return found == box.end() ? Interval{} : found->second;
  }
  bool quotient = atom.kind() == TermKind::FloorDiv;
  if (!quotient && atom.kind() != TermKind::FloorMod) {
    return {};
  }
  auto by = const_int(atom.arg(1));
  if (!by || *by <= 0) {
    return {};
  }
  Interval inner = range_of(atom.arg(0), box);
  Interval out;
  if (quotient) {
    if (inner.low) {
      out.low = floor_div(*inner.low, Integer(*by));
    }
    if (inner.high) {
      out.high = floor_div(*inner.high, Integer(*by));
    }
    return out;
  }
  if (inner.bounded() && floor_div(*inner.low, Integer(*by)) == floor_div(*inner.high, Integer(*by))) {
    return {floor_mod(*inner.low, Integer(*by)), floor_mod(*inner.high, Integer(*by))};
  }
  return {Integer(0), Integer(*by - 1)};
}

std::optional<bool> decided_connective(Term guard, const Box& box) {
  bool conjunction = guard.kind() == TermKind::And;
  bool all_known = true;
  for (Term part : guard.args()) {
    auto known = decided(part, box);
    if (known && *known != conjunction) {
      return *known;
    }
    all_known = all_known && known.has_value();
  }
  return all_known ? std::optional<bool>(conjunction) : std::nullopt;
}

}  // namespace

Interval range_of(Term term, const Box& box) {
  Interval sum{Integer(0), Integer(0)};
  for (const Monomial& monomial : monomials(term)) {
    if (monomial.atoms.empty()) {
      sum = added(sum, {monomial.coefficient, monomial.coefficient});
    } else if (monomial.atoms.size() == 1) {
      sum = added(sum, scaled(atom_range(monomial.atoms[0], box), monomial.coefficient));
    } else {
      return {};
    }
  }
  return sum;
}

std::optional<Interval> range_by_trial(Term term, const Box& box) {
  constexpr std::int64_t kMostPoints = 1 << 18;
  std::vector<Symbol> names = free_variables(term);
  EvalEnvironment environment;
  Integer points = 1;
  for (Symbol name : names) {
    auto found = box.find(name);
    if (found == box.end() || !found->second.bounded()) {
      return std::nullopt;
    }
    environment.integers[name] = *found->second.low;
    points *= *found->second.high - *found->second.low + 1;
  }
  if (points < 1 || points > kMostPoints) {
    return std::nullopt;
  }
  Interval out;
  for (;;) {
    auto value = eval_int(term, environment);
    const Integer* number = std::get_if<Integer>(&value);
    if (!number) {
      return std::nullopt;
    }
    out.low = out.low ? std::min(*out.low, *number) : *number;
    out.high = out.high ? std::max(*out.high, *number) : *number;
    std::size_t k = 0;
    while (k < names.size() && ++environment.integers[names[k]] > *box.at(names[k]).high) {
      environment.integers[names[k]] = *box.at(names[k]).low;
      ++k;
    }
    if (k == names.size()) {
      return out;
    }
  }
}

std::optional<bool> decided(Term guard, const Box& box) {
  if (auto constant = const_bool(guard)) {
    return constant;
  }
  switch (guard.kind()) {
    case TermKind::And:
    case TermKind::Or: return decided_connective(guard, box);
    case TermKind::Not: {
      auto inner = decided(guard.arg(0), box);
      return inner ? std::optional<bool>(!*inner) : std::nullopt;
    }
    case TermKind::IntLe:
    case TermKind::IntEq: {
      Interval gap = range_of(guard.arg(1) - guard.arg(0), box);
      bool le_kind = guard.kind() == TermKind::IntLe;
      if (gap.low && (le_kind ? *gap.low >= 0 : gap.high && *gap.low == 0 && *gap.high == 0)) {
        return true;
      }
      if ((gap.high && *gap.high < 0) || (!le_kind && gap.low && *gap.low > 0)) {
        return false;
      }
      return std::nullopt;
    }
    default: return std::nullopt;
  }
}

}  // namespace vouch
