#include "facts/integral_guards.h"

#include <vector>

#include "term/comparison.h"

namespace vouch {
namespace {

bool is_number(Term t) { return t.kind() == TermKind::RealConst; }

Term compared(TermKind kind, Term a, Term b) {
  bool known = is_number(a) && is_number(b);
  switch (kind) {
    case TermKind::RealLt: return known ? bool_const(a->value < b->value) : real_lt(a, b);
    case TermKind::RealLe: return known ? bool_const(a->value <= b->value) : real_le(a, b);
    default: return known ? bool_const(a->value == b->value) : real_eq(a, b);
  }
}

Term comparison(TermKind kind, Term a, Term b) {
  for (bool left : {true, false}) {
    Term choice = left ? a : b;
    Term other = left ? b : a;
    if (choice.kind() == TermKind::Select && is_number(other) && is_number(choice.arg(1)) && is_number(choice.arg(2))) {
      Term guard = integral_guard(choice.arg(0));
      Term then = left ? compared(kind, choice.arg(1), other) : compared(kind, other, choice.arg(1));
      Term otherwise = left ? compared(kind, choice.arg(2), other) : compared(kind, other, choice.arg(2));
      return either(both(guard, then), both(negate(guard), otherwise));
    }
  }
  bool integers = a.kind() == TermKind::RealOf && b.kind() == TermKind::RealOf;
  if (!integers) {
    return compared(kind, a, b);
  }
  return kind == TermKind::RealLt   ? lt(a.arg(0), b.arg(0))
         : kind == TermKind::RealLe ? le(a.arg(0), b.arg(0))
                                    : eq(a.arg(0), b.arg(0));
}

}  // namespace

Term integral_guard(Term guard) {
  if (compares_scalars(guard)) {
    return comparison(guard.kind(), guard.arg(0), guard.arg(1));
  }
  switch (guard.kind()) {
    case TermKind::Not: return negate(integral_guard(guard.arg(0)));
    case TermKind::And:
    case TermKind::Or: {
      Term out = bool_const(guard.kind() == TermKind::And);
      for (Term part : guard.args()) {
        Term here = integral_guard(part);
        out = guard.kind() == TermKind::And ? both(out, here) : either(out, here);
      }
      return out;
    }
    default: return guard;
  }
}

}  // namespace vouch
