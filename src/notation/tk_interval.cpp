#include "notation/tk_interval.h"

#include <algorithm>

#include "term/eval.h"

namespace vouch {
namespace {

Interval scaled(const Interval& a, const Integer& factor) {
  Interval out;
  if (a.low) {
    (factor > 0 ? out.low : out.high) = *a.low * int_const(factor);
  }
  if (a.high) {
    (factor > 0 ? out.high : out.low) = *a.high * int_const(factor);
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
    return found != box.end() ? found->second : box.sizes.has(atom->symbol) ? Interval{atom, atom} : Interval{};
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
      out.low = floor_div(*inner.low, Term(*by));
    }
    if (inner.high) {
      out.high = floor_div(*inner.high, Term(*by));
    }
    return out;
  }
  if (inner.bounded() && floor_div(*inner.low, Term(*by)) == floor_div(*inner.high, Term(*by))) {
    return {floor_mod(*inner.low, Term(*by)), floor_mod(*inner.high, Term(*by))};
  }
  return {Term(0), Term(*by - 1)};
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

// A product of sizes is its own range.
bool of_sizes(const Monomial& monomial, const Box& box) {
  return std::all_of(monomial.atoms.begin(), monomial.atoms.end(), [&](Term atom) {
    std::vector<Symbol> names = free_variables(atom);
    return std::all_of(names.begin(), names.end(), [&](Symbol name) { return !box.contains(name) && box.sizes.has(name); });
  });
}

}  // namespace

std::optional<Term> Box::greater(Term a, Term b) const {
  return at_least(a, b) ? std::optional(a) : at_least(b, a) ? std::optional(b) : std::nullopt;
}

std::optional<Term> Box::smaller(Term a, Term b) const {
  return at_least(b, a) ? std::optional(a) : at_least(a, b) ? std::optional(b) : std::nullopt;
}

Interval range_of(Term term, const Box& box) {
  Interval sum{Term(0), Term(0)};
  for (const Monomial& monomial : monomials(term)) {
    if (of_sizes(monomial, box)) {
      Term exact = from_monomials({monomial});
      sum = added(sum, {exact, exact});
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
  std::unordered_map<Symbol, std::pair<Integer, Integer>> ends;
  Integer points = 1;
  for (Symbol name : names) {
    auto found = box.find(name);
    auto low = found == box.end() || !found->second.low ? std::nullopt : number_of(*found->second.low);
    auto high = found == box.end() || !found->second.high ? std::nullopt : number_of(*found->second.high);
    if (!low || !high) {
      return std::nullopt;
    }
    ends[name] = {*low, *high};
    environment.integers[name] = *low;
    points *= *high - *low + 1;
  }
  if (points < 1 || points > kMostPoints) {
    return std::nullopt;
  }
  std::optional<std::pair<Integer, Integer>> out;
  for (;;) {
    auto value = eval_int(term, environment);
    const Integer* number = std::get_if<Integer>(&value);
    if (!number) {
      return std::nullopt;
    }
    out = out ? std::pair(std::min(out->first, *number), std::max(out->second, *number)) : std::pair(*number, *number);
    std::size_t k = 0;
    while (k < names.size() && ++environment.integers[names[k]] > ends.at(names[k]).second) {
      environment.integers[names[k]] = ends.at(names[k]).first;
      ++k;
    }
    if (k == names.size()) {
      return Interval{int_const(out->first), int_const(out->second)};
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
      if (gap.low && (le_kind ? box.at_least(*gap.low, Term(0)) : gap.high && *gap.low == Term(0) && *gap.high == Term(0))) {
        return true;
      }
      bool above = gap.low && box.at_least(*gap.low, Term(1));
      if ((gap.high && box.at_least(Term(-1), *gap.high)) || (!le_kind && above)) {
        return false;
      }
      return std::nullopt;
    }
    default: return std::nullopt;
  }
}

}  // namespace vouch
