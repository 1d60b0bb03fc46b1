#include "term/infinity.h"

namespace vouch {

Term infinity(bool positive) {
  return reduce(positive ? Reduction::Min : Reduction::Max, {{Symbol("none"), Term(0)}}, bool_const(true),
                real_const(Rational(0)));
}

std::optional<bool> infinite_sign(Term scalar) {
  if (scalar.kind() != TermKind::Reduce) {
    return std::nullopt;
  }
  for (bool positive : {false, true}) {
    if (scalar == infinity(positive)) {
      return positive;
    }
  }
  return std::nullopt;
}

}  // namespace vouch
