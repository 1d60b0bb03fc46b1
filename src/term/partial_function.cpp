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

std::optional<Domain> domain_of(Fn fn) {
  switch (fn) {
    case Fn::Log: return Domain{.from = 0, .to = {}, .ends = false};
    case Fn::Sqrt: return Domain{.from = 0, .to = {}};
    case Fn::Asin:
    case Fn::Acos: return Domain{.from = -1, .to = 1};
    case Fn::Acosh: return Domain{.from = 1, .to = {}};
    case Fn::Atanh: return Domain{.from = -1, .to = 1, .ends = false};
    default: return std::nullopt;
  }
}

bool is_partial(Fn fn) { return domain_of(fn).has_value(); }

bool is_whole_power(Term power) {
  const Term& exponent = power.arg(1);
  return exponent.kind() == TermKind::RealConst && is_integral(exponent->value) && exponent->value >= 0;
}

bool is_partial_call(Term term) {
  return term.kind() == TermKind::Call && (is_partial(term->fn) || (term->fn == Fn::Pow && !is_whole_power(term)));
}

}  // namespace vouch
