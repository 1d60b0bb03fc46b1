// Guards in normal form: comparisons without a common part, flat conjunctions and disjunctions without repetition.
#include <algorithm>

#include "support/fault.h"
#include "term/intern.h"
#include "term/remembered.h"
#include "term/term.h"

namespace vouch {
namespace {

struct Sides {
  Term left;
  Term right;
};

// left - right == a - b, with positive coefficients only.
Sides balance(Term a, Term b) {
  Term difference = a - b;
  std::vector<Term> left;
  std::vector<Term> right;
  for (const Term& summand : summands_of(difference)) {
    Integer coefficient = coefficient_of(summand);
    if (coefficient > 0) {
      left.push_back(summand);
    } else {
      right.push_back(multiple_of(-coefficient, atoms_of(summand)));
    }
  }
  return {sum_in_order(left), sum_in_order(right)};
}

Term junction(TermKind kind, std::span<const Term> guards) {
  bool neutral = kind == TermKind::And;
  std::vector<Term> flat;
  for (Term guard : guards) {
    ensure(guard.sort() == Sort::Bool, "a guard is expected");
    if (auto known = const_bool(guard)) {
      if (*known != neutral) {
        return bool_const(!neutral);
      }
    } else if (guard.kind() == kind) {
      flat.insert(flat.end(), guard.args().begin(), guard.args().end());
    } else {
      flat.push_back(guard);
    }
  }
  std::vector<Term> unique;
  for (Term guard : flat) {
    if (std::find(unique.begin(), unique.end(), guard) == unique.end()) {
      unique.push_back(guard);
    }
    if (std::find(unique.begin(), unique.end(), negate(guard)) != unique.end()) {
      return bool_const(!neutral);
    }
  }
  if (unique.empty()) {
    return bool_const(neutral);
  }
  return unique.size() == 1 ? unique[0] : make_node(kind, Sort::Bool, unique);
}

Term comparison(TermKind kind, Term a, Term b) {
  ensure(a.sort() == Sort::Real && b.sort() == Sort::Real, "scalar terms are compared here");
  return make_node(kind, Sort::Bool, {a, b});
}

}  // namespace

static Term truth(int value) {
  TermNode node{.kind = TermKind::BoolConst, .sort = Sort::Bool, .symbol = {}, .value = value, .args = {}, .bound = {}};
  return intern(std::move(node));
}

Term bool_const(bool value) {
  static const Term no = truth(0);
  static const Term yes = truth(1);
  return value ? yes : no;
}

Term le(Term a, Term b) {
  return remembered(TermOp::Le, a, b, [&] {
    auto [left, right] = balance(a, b);
    if (is_const(left) && is_const(right)) {
      return bool_const(numerator(left->value) <= numerator(right->value));
    }
    return make_node(TermKind::IntLe, Sort::Bool, {left, right});
  });
}

Term lt(Term a, Term b) { return le(a + 1, b); }
Term ge(Term a, Term b) { return le(b, a); }
Term gt(Term a, Term b) { return lt(b, a); }

Term eq(Term a, Term b) {
  if (a == b) {
    return bool_const(true);
  }
  return remembered(TermOp::Eq, a, b, [&] {
    auto [left, right] = balance(a, b);
    if (is_const(left) && is_const(right)) {
      return bool_const(left == right);
    }
    if (compare(left, right) > 0) {
      std::swap(left, right);
    }
    return make_node(TermKind::IntEq, Sort::Bool, {left, right});
  });
}

Term ne(Term a, Term b) { return negate(eq(a, b)); }
Term in_range(Term index, Term extent) { return both(le(0, index), lt(index, extent)); }
Term divides(Term divisor, Term dividend) { return eq(floor_mod(dividend, divisor), 0); }
Term both(Term a, Term b) { return junction(TermKind::And, std::vector{a, b}); }
Term either(Term a, Term b) { return junction(TermKind::Or, std::vector{a, b}); }
Term all_of(std::span<const Term> guards) { return junction(TermKind::And, guards); }
Term any_of(std::span<const Term> guards) { return junction(TermKind::Or, guards); }

Term negate(Term guard) {
  ensure(guard.sort() == Sort::Bool, "a guard is expected");
  if (auto known = const_bool(guard)) {
    return bool_const(!*known);
  }
  if (guard.kind() == TermKind::Not) {
    return guard.arg(0);
  }
  if (guard.kind() == TermKind::IntLe) {
    return lt(guard.arg(1), guard.arg(0));
  }
  return make_node(TermKind::Not, Sort::Bool, {guard});
}

Term real_lt(Term a, Term b) { return comparison(TermKind::RealLt, a, b); }
Term real_le(Term a, Term b) { return comparison(TermKind::RealLe, a, b); }
Term real_eq(Term a, Term b) { return comparison(TermKind::RealEq, a, b); }

}  // namespace vouch
