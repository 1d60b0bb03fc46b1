#include "term/infinity.h"

#include "term/parts.h"

namespace vouch {

static Term empty_extremum(Reduction reduction) {
  return reduce(reduction, {{Symbol("none"), Term(0)}}, bool_const(true), real_const(Rational(0)));
}

Term infinity(bool positive) {
  static const Term minus = empty_extremum(Reduction::Max);
  static const Term plus = empty_extremum(Reduction::Min);
  return positive ? plus : minus;
}

std::optional<bool> infinite_sign(Term scalar) {
  if (scalar.kind() != TermKind::Reduce) {
    return std::nullopt;
  }
  bool positive = scalar == infinity(true);
  return positive || scalar == infinity(false) ? std::optional(positive) : std::nullopt;
}

bool speaks_of_infinity(Term term) {
  return !everywhere(term, [](Term part) { return !infinite_sign(part); });
}

}  // namespace vouch
