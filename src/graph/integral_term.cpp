#include "graph/integral_term.h"

#include <algorithm>

namespace vouch {
namespace {

// Truncated division agrees with floor division where neither operand is negative. Of what sign a variable is nothing is known:
// an element of a list may be negative.
std::optional<Term> truncated_quotient(Term a, Term b) {
  auto x = const_int(a);
  auto y = const_int(b);
  if (y == 0) {
    return std::nullopt;
  }
  if (x && y && !(*x == INT64_MIN && *y == -1)) {
    return Term(*x / *y);
  }
  if (!y || *y == INT64_MIN) {
    return std::nullopt;
  }
  Term size(*y < 0 ? -*y : *y);
  Term quotient = int_select(ge(a, 0), floor_div(a, size), -floor_div(-a, size));
  return *y < 0 ? -quotient : quotient;
}

std::optional<Term> integral_call(Term t) {
  auto a = integral_term(t.arg(0));
  auto b = t.args().size() > 1 ? integral_term(t.arg(1)) : a;
  if (!a || !b) {
    return std::nullopt;
  }
  switch (t->fn) {
    case Fn::Floor:
    case Fn::Ceil:
    case Fn::Round:
    case Fn::Trunc: return a;
    case Fn::Abs: return int_max(*a, -*a);
    case Fn::Min: return int_min(*a, *b);
    case Fn::Max: return int_max(*a, *b);
    case Fn::Mod: return const_int(*b).value_or(0) > 0 ? std::optional(floor_mod(*a, *b)) : std::nullopt;
    case Fn::TruncDiv: return truncated_quotient(*a, *b);
    default: return std::nullopt;
  }
}

// Comparisons of integral scalar terms as comparisons of integer terms.
std::optional<Term> integral_guard(Term guard) {
  std::vector<Term> args;
  switch (guard.kind()) {
    case TermKind::RealLt:
    case TermKind::RealLe:
    case TermKind::RealEq: {
      auto a = integral_term(guard.arg(0));
      auto b = integral_term(guard.arg(1));
      if (!a || !b) {
        return std::nullopt;
      }
      return guard.kind() == TermKind::RealLt ? lt(*a, *b) : guard.kind() == TermKind::RealLe ? le(*a, *b) : eq(*a, *b);
    }
    case TermKind::And:
    case TermKind::Or:
    case TermKind::Not:
      for (Term arg : guard.args()) {
        auto inner = integral_guard(arg);
        if (!inner) {
          return std::nullopt;
        }
        args.push_back(*inner);
      }
      return guard.kind() == TermKind::Not ? negate(args[0]) : guard.kind() == TermKind::And ? all_of(args) : any_of(args);
    default: return guard;
  }
}

std::optional<Term> integral_select(Term t) {
  auto guard = integral_guard(t.arg(0));
  if (!guard) {
    return std::nullopt;
  }
  if (auto known = const_bool(*guard)) {
    return integral_term(t.arg(*known ? 1 : 2));
  }
  auto then = integral_term(t.arg(1));
  auto otherwise = integral_term(t.arg(2));
  return then && otherwise ? std::optional(int_select(*guard, *then, *otherwise)) : std::nullopt;
}

}  // namespace

std::optional<Term> integral_term(Term t) {
  std::optional<Term> a;
  std::optional<Term> b;
  switch (t.kind()) {
    case TermKind::RealConst:
      return is_integral(t->value) ? std::optional(int_const(Integer(numerator(t->value)))) : std::nullopt;
    case TermKind::RealOf: return t.arg(0);
    case TermKind::RealAdd:
    case TermKind::RealSub:
    case TermKind::RealMul:
      a = integral_term(t.arg(0));
      b = integral_term(t.arg(1));
      if (!a || !b) {
        return std::nullopt;
      }
      return t.kind() == TermKind::RealAdd ? *a + *b : t.kind() == TermKind::RealSub ? *a - *b : *a * *b;
    case TermKind::RealNeg: a = integral_term(t.arg(0)); return a ? std::optional(-*a) : std::nullopt;
    case TermKind::Call: return integral_call(t);
    case TermKind::Select: return integral_select(t);
    default: return std::nullopt;
  }
}

}  // namespace vouch
