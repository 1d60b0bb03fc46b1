#include "graph/factors.h"

namespace vouch {

bool takes_factors(OpId op, std::size_t operand) {
  static const OpId kResize = *find_op("Resize");
  static const OpId kEarlier = *find_op("resize_10");
  constexpr std::size_t kScales = 2;
  constexpr std::size_t kEarlierScales = 1;
  return (op == kResize && operand == kScales) || (op == kEarlier && operand == kEarlierScales);
}

std::optional<Rational> simple_fraction(const Rational& scale) {
  auto target = static_cast<float>(double_of(scale));
  Rational rest = scale;
  Integer p0 = 0, q0 = 1, p1 = 1, q1 = 0;  // convergents of the continued fraction
  for (int step = 0; step < 64; ++step) {
    Integer whole = floor_of(rest);
    Integer p2 = whole * p1 + p0;
    Integer q2 = whole * q1 + q0;
    Rational convergent(p2, q2);
    if (convergent > 0 && static_cast<float>(double_of(convergent)) == target) {
      return convergent;
    }
    rest -= Rational(whole);
    if (rest == 0) {
      return std::nullopt;
    }
    rest = 1 / rest;
    p0 = p1;
    q0 = q1;
    p1 = p2;
    q1 = q2;
  }
  return std::nullopt;
}

}  // namespace vouch
