#include "facts/bounds.h"

#include <algorithm>

#include "facts/exact_quotient.h"

namespace vouch {

namespace {

using Bound = std::pair<Term, Integer>;

// What a fact `c <= atom` says.
const std::optional<Bound>& bound_by(Term fact) {
  thread_local std::unordered_map<Term, std::optional<Bound>> known;
  auto [at, is_new] = known.try_emplace(fact);
  if (!is_new || fact.kind() != TermKind::IntLe) {
    return at->second;
  }
  Bound bound;
  for (const Monomial& m : monomials(fact.arg(1) - fact.arg(0))) {
    if (m.atoms.empty()) {
      bound.second = -m.coefficient;
    } else if (m.atoms.size() == 1 && m.coefficient == 1 && bound.first.id() == nullptr) {
      bound.first = m.atoms[0];
    } else {
      return at->second;
    }
  }
  at->second = std::move(bound);
  return at->second;
}

}  // namespace

LowerBounds::LowerBounds(const Facts& facts, const LowerBounds* outer) : outer_(outer) {
  for (Term fact : facts) {
    if (const std::optional<Bound>& bound = bound_by(fact)) {
      auto [at, is_new] = atoms_.insert(*bound);
      at->second = std::max(at->second, bound->second);
    }
    if (auto quotient = exact_quotient_of(fact)) {
      exact_.insert(*quotient);
    }
  }
}

bool LowerBounds::entails(Term goal) const {
  if (goal.kind() == TermKind::Or) {
    return std::any_of(goal.args().begin(), goal.args().end(), [&](Term part) { return entails(part); });
  }
  if (goal.kind() != TermKind::IntLe) {
    return false;
  }
  std::optional<Integer> least = of(goal.arg(1) - goal.arg(0));
  return least && *least >= 0;
}

std::optional<Integer> LowerBounds::of(Term integer) const {
  Integer sum = 0;
  for (const Monomial& m : monomials_of(integer)) {
    Integer product = m.coefficient;
    if (m.coefficient < 0 && !m.atoms.empty()) {
      std::optional<Integer> most = m.atoms.size() == 1 ? most_of(m.atoms[0]) : std::nullopt;
      if (!most) {
        return std::nullopt;
      }
      sum += m.coefficient * *most;
      continue;
    }
    for (Term atom : m.atoms) {
      std::optional<Integer> least = of_atom(atom);
      bool of_use = least && (*least >= 0 || m.atoms.size() == 1);
      if (!of_use) {
        return std::nullopt;
      }
      product *= *least;
    }
    sum += product;
  }
  return sum;
}

std::optional<Integer> LowerBounds::of_atom(Term atom) const {
  std::optional<Integer> best = outer_ != nullptr ? outer_->of_atom(atom) : std::nullopt;
  if (auto found = atoms_.find(atom); found != atoms_.end() && (!best || *best < found->second)) {
    best = found->second;
  }
  if (atom.kind() == TermKind::FloorDiv && (!best || *best < 1)) {
    std::optional<Integer> quotient = of_quotient(atom);
    best = quotient && (!best || *best < *quotient) ? quotient : best;
  }
  if (atom.kind() == TermKind::IntMax) {
    for (Term arg : atom.args()) {
      std::optional<Integer> one = of(arg);
      best = one && (!best || *best < *one) ? one : best;
    }
  }
  return best;
}

// A minimum is at most each number in it.
std::optional<Integer> LowerBounds::most_of(Term term) {
  if (term.kind() == TermKind::IntConst) {
    return Integer(numerator(term->value));
  }
  std::optional<Integer> best;
  for (Term arg : term.kind() == TermKind::IntMin ? term.args() : std::span<const Term>()) {
    std::optional<Integer> one = most_of(arg);
    best = one && (!best || *one < *best) ? one : best;
  }
  return best;
}

// At least 0; and where it leaves no rest, a positive number is a positive multiple.
std::optional<Integer> LowerBounds::of_quotient(Term quotient) const {
  std::optional<Integer> over = of(quotient.arg(0));
  std::optional<Integer> under = of(quotient.arg(1));
  if (!over || !under || *over < 0 || *under < 1) {
    return std::nullopt;
  }
  return Integer(*over >= 1 && is_exact(quotient) ? 1 : 0);
}

}  // namespace vouch
