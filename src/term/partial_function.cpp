#include "term/partial_function.h"

namespace vouch {

std::optional<Term> divisor_of(Term term) {
  switch (term.kind()) {
    case TermKind::FloorDiv:
    case TermKind::FloorMod:
    case TermKind::RealDiv: return term.arg(1);
    case TermKind::Call: break;
    default: return std::nullopt;
  }
  return term->fn == Fn::Tan ? std::optional(call(Fn::Cos, {term.arg(0)})) : integer_divisor_of(term);
}

std::optional<Term> integer_divisor_of(Term term) {
  bool divides = term.kind() == TermKind::Call && (term->fn == Fn::Mod || term->fn == Fn::Fmod || term->fn == Fn::TruncDiv);
  return divides ? std::optional(term.arg(1)) : std::nullopt;
}

bool is_partial(Fn fn) {
  switch (fn) {
    case Fn::Log:
    case Fn::Sqrt:
    case Fn::Asin:
    case Fn::Acos:
    case Fn::Acosh:
    case Fn::Atanh: return true;
    default: return false;
  }
}

bool is_whole_power(Term power) {
  const Term& exponent = power.arg(1);
  return exponent.kind() == TermKind::RealConst && is_integral(exponent->value) && exponent->value >= 0;
}

}  // namespace vouch
