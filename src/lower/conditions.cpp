#include "lower/conditions.h"

#include <algorithm>

#include "support/fault.h"

namespace vouch::array {
namespace {

struct Range {
  Term low;
  Term high;
};

Term loop_term(unsigned i) { return int_var("i" + std::to_string(i)); }

class Deciding {
 public:
  explicit Deciding(const Known& known) : known_(known) {}

  Range range(const Index& e) const {
    if (e->kind == IndexKind::Var || e->kind == IndexKind::Extent) {
      Term exact = e->kind == IndexKind::Var ? loop_term(e->var) : size_term(e->size);
      return {exact, exact};
    }
    Range a = range(e->args[0]);
    if (e->kind == IndexKind::Div || e->kind == IndexKind::Mod) {
      std::optional<Size> limit = top(known_.bounds, e);
      return {Term(0), limit ? size_term(*limit) - Term(1) : a.high};
    }
    return combined(e->kind, a, range(e->args[1]));
  }

  std::optional<bool> less(const Index& a, const Index& b) const {
    if ((b->kind == IndexKind::Extent && below(known_.bounds, a, b->size)) || follows(gap(a, b) - Term(1))) {
      return true;
    }
    return follows(gap(b, a)) ? std::optional(false) : std::nullopt;
  }

  std::optional<bool> equal(const Index& a, const Index& b) const {
    if (follows(gap(a, b) - Term(1)) || follows(gap(b, a) - Term(1))) {
      return false;
    }
    return follows(gap(a, b)) && follows(gap(b, a)) ? std::optional(true) : std::nullopt;
  }

 private:
  Range combined(IndexKind kind, const Range& a, const Range& b) const {
    if (kind == IndexKind::Add) {
      return {a.low + b.low, a.high + b.high};
    }
    if (kind == IndexKind::Sub) {
      Term low = a.low - b.high;
      return {low, sure(low) ? a.high - b.low : a.high};
    }
    ensure(kind == IndexKind::Mul, "no such index term");
    bool positive = coefficients_nonnegative(a.low) && coefficients_nonnegative(b.low);
    return {positive ? a.low * b.low : Term(0), a.high * b.high};
  }

  // At the least, b - a.
  Term gap(const Index& a, const Index& b) const { return range(b).low - range(a).high; }

  // The polynomial at the greatest values of loop variables, in monomials with a negative coefficient.
  Term lowered(const Term& polynomial) const {
    Term sum(0);
    for (const Monomial& monomial : monomials(polynomial)) {
      Term product = int_const(monomial.coefficient);
      for (const Term& atom : monomial.atoms) {
        product = product * (monomial.coefficient < 0 ? greatest(atom) : atom);
      }
      sum = sum + product;
    }
    return sum;
  }

  Term greatest(const Term& atom) const {
    auto is = [&](const auto& bound) { return loop_term(bound.first) == atom; };
    auto found = std::find_if(known_.bounds.begin(), known_.bounds.end(), is);
    return found != known_.bounds.end() ? size_term(found->second) - Term(1) : atom;
  }

  bool sure(const Term& polynomial) const { return coefficients_nonnegative(lowered(polynomial)); }

  bool follows(const Term& polynomial) const {
    auto leaves_nothing = [&](const Term& fact) { return sure(polynomial - fact); };
    return sure(polynomial) || std::any_of(known_.told.begin(), known_.told.end(), leaves_nothing) ||
           std::any_of(known_.around.begin(), known_.around.end(), [&](unsigned i) { return leaves_nothing(loop_fact(i)); });
  }

  Term loop_fact(unsigned i) const { return size_term(known_.bounds.at(i)) - Term(1) - loop_term(i); }

  const Known& known_;
};

void learn(const Deciding& deciding, bool yes, const Guard& guard, std::vector<Term>& told) {
  if (guard->kind == GuardKind::Less || guard->kind == GuardKind::Equal) {
    Range a = deciding.range(guard->terms[0]);
    Range b = deciding.range(guard->terms[1]);
    if (guard->kind == GuardKind::Less) {
      told.push_back(yes ? b.high - a.low - Term(1) : a.high - b.low);
    } else if (yes) {
      told.push_back(a.high - b.low);
      told.push_back(b.high - a.low);
    }
    return;
  }
  bool negated = guard->kind == GuardKind::Not;
  if (negated || yes == (guard->kind == GuardKind::And)) {
    for (const Guard& part : guard->parts) {
      learn(deciding, yes != negated, part, told);
    }
  }
}

Outcome outcome(std::optional<bool> decided, const Guard& guard) { return {decided, decided ? Guard() : guard}; }

// Of And, whose value is false as soon as one part's is, and of Or, where that is true.
Outcome shortened_pair(const Known& known, const Guard& guard) {
  bool settles = guard->kind == GuardKind::Or;
  Outcome first = shortened(known, guard->parts[0]);
  if (first.decided) {
    return *first.decided == settles ? first : shortened(known, guard->parts[1]);
  }
  Outcome second = shortened(learnt(known, !settles, first.guard), guard->parts[1]);
  if (second.decided) {
    return *second.decided == settles ? second : first;
  }
  return {std::nullopt, guard_join(guard->kind, {first.guard, second.guard})};
}

}  // namespace

Known learnt(const Known& known, bool yes, const Guard& guard) {
  Known more{known.bounds, known.around, {}};
  learn(Deciding(known), yes, guard, more.told);
  more.told.insert(more.told.end(), known.told.begin(), known.told.end());
  return more;
}

Outcome shortened(const Known& known, const Guard& guard) {
  switch (guard->kind) {
    case GuardKind::Less:
    case GuardKind::Equal: {
      Index a = simple(known.bounds, guard->terms[0]);
      Index b = simple(known.bounds, guard->terms[1]);
      Deciding deciding(known);
      return outcome(guard->kind == GuardKind::Less ? deciding.less(a, b) : deciding.equal(a, b),
                     guard_compare(guard->kind, a, b));
    }
    case GuardKind::And:
    case GuardKind::Or: return shortened_pair(known, guard);
    case GuardKind::Not: {
      Outcome inner = shortened(known, guard->parts[0]);
      return inner.decided ? Outcome{!*inner.decided, {}} : Outcome{std::nullopt, guard_join(GuardKind::Not, {inner.guard})};
    }
  }
  fault("no such condition");
}

}  // namespace vouch::array
