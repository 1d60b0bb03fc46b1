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
  switch (term->fn) {
    case Fn::Tan: return call(Fn::Cos, {term.arg(0)});
    case Fn::Mod:
    case Fn::Fmod:
    case Fn::TruncDiv: return term.arg(1);
    default: return std::nullopt;
  }
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
