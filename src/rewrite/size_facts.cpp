#include "rewrite/size_facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/number.h"
#include "term/eval.h"

namespace vouch {
namespace {

constexpr std::size_t kDeepest = 24;     // divisions within each other
constexpr std::size_t kMostFacts = 256;  // conditions that are looked at

// The constant of a sum in which nothing is subtracted: its value where all else is 0.
std::optional<Integer> least_of_unknowns(Term sum) {
  Integer constant = 0;
  for (const Monomial& m : monomials(sum)) {
    if (m.atoms.empty()) {
      constant = m.coefficient;
    } else if (m.coefficient < 0) {
      return std::nullopt;
    }
  }
  return constant;
}

// Of `c * (e // m) + rest`, which is at least 0: `c * e + m * rest` is, since `m * (e // m)` is at most `e`.
std::optional<Term> without_quotient(Term fact) {
  std::vector<Monomial> terms = monomials(fact);
  for (const Monomial& one : terms) {
    bool is_quotient = one.atoms.size() == 1 && one.atoms[0].kind() == TermKind::FloorDiv && one.coefficient > 0;
    std::int64_t divisor = is_quotient ? const_int(one.atoms[0].arg(1)).value_or(0) : 0;
    std::int64_t coefficient = int64_of(one.coefficient).value_or(0);
    if (divisor > 0 && coefficient > 0) {
      Term rest = fact - one.atoms[0] * Term(coefficient);
      return one.atoms[0].arg(0) * Term(coefficient) + rest * Term(divisor);
    }
  }
  return std::nullopt;
}

void add_facts(Term guard, std::vector<Term>& facts) {
  if (guard.kind() == TermKind::And) {
    for (Term part : guard.args()) {
      add_facts(part, facts);
    }
  } else if (guard.kind() == TermKind::IntLe) {
    std::optional<Term> fact = guard.arg(1) - guard.arg(0);
    for (std::size_t depth = 0; fact && depth < kDeepest; ++depth) {
      facts.push_back(*fact);
      fact = without_quotient(*fact);
    }
  }
}

}  // namespace

KnownSizes::KnownSizes(const Graph& graph) {
  for (const OpContext::Condition& condition : graph.conditions()) {
    if (facts_.size() < kMostFacts) {
      assumed_.push_back(condition.guard);
      add_facts(condition.guard, facts_);
    }
  }
}

bool KnownSizes::is_known(Term guard) const { return std::find(assumed_.begin(), assumed_.end(), guard) != assumed_.end(); }

bool KnownSizes::hold(Term guard) {
  if (is_const(guard) || is_known(guard)) {
    return !is_const(guard) || is_true(guard);
  }
  if (guard.kind() == TermKind::And) {
    return std::all_of(guard.args().begin(), guard.args().end(), [&](Term part) { return hold(part); });
  }
  if (guard.kind() != TermKind::IntLe) {  // of numbers alone, such as the elements of a constant
    EvalEnvironment nothing;
    nothing.steps = 1000;
    Evaluated<bool> value = eval_guard(guard, nothing);
    const bool* holds = std::get_if<bool>(&value);
    return holds != nullptr && *holds;
  }
  auto bound = least(guard.arg(1) - guard.arg(0), true);
  return bound && *bound >= 0;
}

std::optional<Integer> KnownSizes::least(Term integer, bool with_facts) {
  auto sum = shifted(integer);
  auto bound = sum ? least_of_unknowns(*sum) : std::nullopt;
  for (std::size_t k = 0; sum && with_facts && k < facts_.size(); ++k) {
    auto fact = shifted(facts_[k]);  // at least 0, so what is left of the sum without it is a bound
    auto rest = fact ? least_of_unknowns(*sum - *fact) : std::nullopt;
    bound = rest && (!bound || *bound < *rest) ? rest : bound;
  }
  // Of `e // m + k` at least that of e, divided.
  std::vector<Monomial> terms = monomials(integer);
  if (with_facts && !terms.empty() && terms.size() <= 2 && terms[0].atoms.size() == 1 && terms[0].coefficient > 0 &&
      (terms.size() == 1 || terms[1].atoms.empty())) {
    if (auto atom = least_atom(terms[0].atoms[0], true)) {
      Integer value = terms[0].coefficient * *atom + (terms.size() == 2 ? terms[1].coefficient : Integer(0));
      bound = !bound || *bound < value ? value : *bound;
    }
  }
  return bound;
}

std::optional<Integer> KnownSizes::least_atom(Term atom, bool with_facts) {
  if (depth_ >= kDeepest) {
    return std::nullopt;
  }
  ++depth_;
  std::optional<Integer> out;
  switch (atom.kind()) {
    case TermKind::IntVar: out = 1; break;
    case TermKind::FloorDiv: {
      auto divisor = const_int(atom.arg(1));
      auto dividend = divisor && *divisor > 0 ? least(atom.arg(0), with_facts) : std::nullopt;
      out = dividend ? std::optional(floor_div(*dividend, Integer(*divisor))) : std::nullopt;
      break;
    }
    case TermKind::FloorMod: {
      auto divisor = const_int(atom.arg(1));
      out = divisor && *divisor > 0 ? std::optional(Integer(0)) : std::nullopt;
      break;
    }
    case TermKind::IntMin:
    case TermKind::IntMax: {
      auto a = least(atom.arg(0), with_facts);
      auto b = least(atom.arg(1), with_facts);
      bool larger = atom.kind() == TermKind::IntMax;
      out = a && b ? std::optional((*a < *b) == larger ? *b : *a) : larger && a ? a : larger ? b : std::nullopt;
      break;
    }
    case TermKind::IntSelect: out = least_choice(atom, with_facts); break;
    default: break;
  }
  --depth_;
  return out;
}

std::optional<Integer> KnownSizes::least_choice(Term choice, bool with_facts) {
  for (bool taken : {true, false}) {
    if (hold(taken ? choice.arg(0) : negate(choice.arg(0)))) {
      return least(choice.arg(taken ? 1 : 2), with_facts);
    }
  }
  auto a = least(choice.arg(1), with_facts);
  auto b = least(choice.arg(2), with_facts);
  return a && b ? std::optional(std::min(*a, *b)) : std::nullopt;
}

std::optional<Term> KnownSizes::shifted_atom(Term atom) {
  auto known = atoms_.find(atom);
  if (known != atoms_.end()) {
    return known->second;
  }
  auto bound = least_atom(atom, false);
  auto offset = bound ? int64_of(*bound) : std::nullopt;
  std::optional<Term> out;
  if (offset) {
    out = int_var(Symbol(fmt::format("atom {}", atoms_.size()))) + *offset;
  }
  atoms_.emplace(atom, out);
  return out;
}

std::optional<Term> KnownSizes::shifted(Term integer) {
  Term out(0);
  for (const Monomial& m : monomials(integer)) {
    Term product(1);
    for (Term atom : m.atoms) {
      auto unknown = shifted_atom(atom);
      if (!unknown) {
        return std::nullopt;
      }
      product = product * *unknown;
    }
    auto coefficient = int64_of(m.coefficient);
    if (!coefficient) {
      return std::nullopt;
    }
    out = out + product * Term(*coefficient);
  }
  return out;
}

}  // namespace vouch
