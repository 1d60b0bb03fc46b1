// Proofs of equality by the laws of the real field.
#include <fmt/format.h>

#include <algorithm>

#include "theorem/coq_proof.h"

namespace vouch {
namespace {

bool is_arithmetic(Term t) {
  switch (t.kind()) {
    case TermKind::RealAdd:
    case TermKind::RealSub:
    case TermKind::RealMul:
    case TermKind::RealDiv:
    case TermKind::RealNeg:
    case TermKind::Select: return true;
    default: return small_power(t).has_value();
  }
}

bool is_lattice(Term t) { return t.kind() == TermKind::Call && (t->fn == Fn::Max || t->fn == Fn::Min || t->fn == Fn::Abs); }

// Is there a sum that is not inside a function?
bool has_sum(Term t) {
  return is_sum_over_box(t) || (is_arithmetic(t) && std::any_of(t.args().begin(), t.args().end(),
                                                                [](Term a) { return a.sort() == Sort::Real && has_sum(a); }));
}

}  // namespace

bool CoqProof::algebraic(const CoqSide& a, const CoqSide& b, const Facts& facts) {
  if (!facts_.same(substitute(a.term, a.by), substitute(b.term, b.by), facts)) {
    reason_ = "an equality inside was not found";
    return false;
  }
  for (const CoqSide* side : {&a, &b}) {
    std::vector<Symbol> bound;
    if (auto guard = open_guard(side->term, side->by, facts, bound)) {
      return by_cases(substitute(*guard, side->by), printer_.guard(*guard, environment(side->by)), facts,
                      [&](const Facts& more) { return equal(a, b, more); });
    }
  }
  CoqSide x = a;
  CoqSide y = b;
  std::vector<Symbol> bound;
  x.term = resolved(a.term, a.by, facts, bound);
  y.term = resolved(b.term, b.by, facts, bound);
  if (x.term != a.term || y.term != b.term) {
    line("decide_guards.");
  }
  return has_sum(x.term) || has_sum(y.term) ? simplified_first(x, y, facts) : flat(x, y, facts);
}

// By way of simpler terms, if they are: `a = simpler a = simpler b = b`, the outer steps by structure.
bool CoqProof::simplified_first(const CoqSide& a, const CoqSide& b, const Facts& facts) {
  CoqSide x{simpler(a.term, a.by, facts), {}};
  CoqSide y{simpler(b.term, b.by, facts), {}};
  if (scalar(x) != scalar(a)) {
    line(fmt::format("transitivity {}%R.", scalar(x)));
    if (!braced([&] { return structural(a, x, facts); })) {
      return false;
    }
  }
  if (scalar(y) == scalar(b)) {
    return terms(x, y, facts);
  }
  line(fmt::format("transitivity {}%R.", scalar(y)));
  return braced([&] { return terms(x, y, facts); }) && braced([&] { return structural(y, b, facts); });
}

Term CoqProof::simpler(Term t, const Substitution& by, const Facts& facts) {
  if (t.sort() != Sort::Real) {
    return t.sort() == Sort::Int || symbols_of(t).empty() ? facts_.simplified(substitute(t, by), facts) : substitute(t, by);
  }
  if (t.args().empty()) {
    return substitute(t, by);
  }
  std::vector<Term> args(t.args().begin(), t.args().end());
  if (t.kind() == TermKind::Reduce) {
    Substitution inner = by;
    Facts inside = facts;
    std::vector<BoundIndex> bound;
    for (std::size_t k = 0; k < t->bound.size(); ++k) {
      std::string name(t->bound[k].name());
      Symbol index(fmt::format("{}~{}", name.substr(0, name.find('~')), ++counter_));
      Term extent = simpler(t.arg(k + 2), by, facts);
      bound.push_back({index, extent});
      inner.insert_or_assign(t->bound[k], int_var(index));
      inside.push_back(in_range(int_var(index), extent));
    }
    Term guard = facts_.simplified(substitute(t.arg(1), inner), inside);
    inside.push_back(guard);
    return reduce(t->reduction, bound, guard, simpler(t.arg(0), inner, inside));
  }
  if (t.kind() == TermKind::Select) {
    Term guard = facts_.simplified(substitute(t.arg(0), by), facts);
    Facts then = facts;
    then.push_back(guard);
    Facts otherwise = facts;
    otherwise.push_back(negate(guard));
    if (is_true(guard) || is_false(guard)) {
      guard = substitute(t.arg(0), by);
    }
    return select(guard, simpler(t.arg(1), by, then), simpler(t.arg(2), by, otherwise));
  }
  for (Term& arg : args) {
    arg = simpler(arg, by, facts);
  }
  return rebuild(t, args);
}

// --- guards that no index is bound in

std::optional<Term> CoqProof::open_guard(Term t, const Substitution& by, const Facts& facts, std::vector<Symbol>& bound) {
  bool chooses = t.kind() == TermKind::Select || is_sum_over_box(t);
  std::size_t depth = bound.size();
  if (is_sum_over_box(t)) {
    bound.insert(bound.end(), t->bound.begin(), t->bound.end());
  } else if (!is_arithmetic(t)) {
    return std::nullopt;
  }
  std::optional<Term> found;
  if (chooses) {
    Term guard = t.arg(is_sum_over_box(t) ? 1 : 0);
    bool closed = std::none_of(bound.begin(), bound.end(), [&](Symbol s) { return mentions(guard, s); });
    Term here = substitute(guard, by);
    if (closed && !facts_.entails(facts, here) && !facts_.entails(facts, negate(here))) {
      found = guard;
    }
  }
  for (std::size_t k = 0; !found && k < t.args().size(); ++k) {
    if (t.arg(k).sort() == Sort::Real) {
      found = open_guard(t.arg(k), by, facts, bound);
    }
  }
  bound.resize(depth);
  return found;
}

Term CoqProof::resolved(Term t, const Substitution& by, const Facts& facts, std::vector<Symbol>& bound) {
  if (!is_sum_over_box(t) && !is_arithmetic(t)) {
    return t;
  }
  std::size_t depth = bound.size();
  if (is_sum_over_box(t)) {
    bound.insert(bound.end(), t->bound.begin(), t->bound.end());
  }
  std::optional<bool> holds;
  if (t.kind() == TermKind::Select || (is_sum_over_box(t) && !is_true(t.arg(1)))) {
    Term guard = t.arg(is_sum_over_box(t) ? 1 : 0);
    bool closed = std::none_of(bound.begin(), bound.end(), [&](Symbol s) { return mentions(guard, s); });
    if (closed) {
      holds = facts_.entails(facts, substitute(guard, by));
    }
  }
  Term out;
  if (holds && t.kind() == TermKind::Select) {
    out = resolved(t.arg(*holds ? 1 : 2), by, facts, bound);
  } else {
    std::vector<Term> args(t.args().begin(), t.args().end());
    for (Term& arg : args) {
      arg = arg.sort() == Sort::Real ? resolved(arg, by, facts, bound) : arg;
    }
    if (holds && is_sum_over_box(t)) {
      args[1] = bool_const(true);
      args[0] = *holds ? args[0] : real_const(0);
    }
    out = rebuild(t, args);
  }
  bound.resize(depth);
  return out;
}

// --- without sums

void CoqProof::leaves(const CoqSide& side, std::vector<CoqSide>& out) {
  if (is_arithmetic(side.term) || is_lattice(side.term)) {
    for (Term arg : side.term.args()) {
      if (arg.sort() == Sort::Real) {
        leaves({arg, side.by}, out);
      }
    }
  } else if (side.term.kind() != TermKind::RealConst) {
    out.push_back(side);
  }
}

// Where the leaf is among those that are known, as it is written or after a proof that it is one of them; else it becomes one.
std::size_t CoqProof::place_of(const CoqSide& leaf, std::vector<CoqSide>& known, const Facts& facts) {
  for (std::size_t k = 0; k < known.size(); ++k) {
    if (scalar(known[k]) == scalar(leaf)) {
      return k;
    }
  }
  for (std::size_t k = 0; k < known.size(); ++k) {
    bool hopeful = same_kind(known[k].term, leaf.term) &&
                   (!over_reals() || facts_.same(substitute(known[k].term, known[k].by), substitute(leaf.term, leaf.by), facts));
    if (!hopeful) {
      continue;
    }
    Mark before = mark();
    std::string same = fresh("same");
    line(fmt::format("assert ({} : {}%R = {}%R).", same, scalar(known[k]), scalar(leaf)));
    if (braced([&] { return equal(known[k], leaf, facts); })) {
      line(fmt::format("use {}.", same));
      return k;
    }
    undo(before);
  }
  known.push_back(leaf);
  return known.size() - 1;
}

bool CoqProof::flat(const CoqSide& a, const CoqSide& b, const Facts& facts) {
  if (a.term.kind() == TermKind::Reduce && same_kind(a.term, b.term)) {
    reason_ = "an extremum or a product over another box";
    return false;
  }
  std::vector<CoqSide> all;
  leaves(a, all);
  leaves(b, all);
  std::vector<CoqSide> known;
  for (const CoqSide& leaf : all) {
    place_of(leaf, known, facts);
  }
  if (!there_are_values(a, b, facts)) {
    return false;
  }
  line("algebra.");
  return true;
}

}  // namespace vouch
