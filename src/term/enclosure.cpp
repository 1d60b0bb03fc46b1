#include "term/enclosure.h"

#include <fmt/format.h>

#include <algorithm>

namespace vouch {

Enclosure Enclosure::infinity(int sign) {
  Enclosure value;
  value.infinite = sign < 0 ? -1 : 1;
  return value;
}

// The largest number of `bits` significant bits that is at most `value`.
static Rational rounded_down(const Rational& value, int bits) {
  if (value == 0) {
    return value;
  }
  Integer top = abs(Integer(numerator(value)));
  auto exponent = static_cast<long>(msb(top)) - static_cast<long>(msb(Integer(denominator(value))));
  long shift = bits - exponent;
  if (shift >= 0) {
    return Rational(floor_of(value * Rational(Integer(Integer(1) << static_cast<unsigned>(shift)))),
                    Integer(Integer(1) << static_cast<unsigned>(shift)));
  }
  Integer unit = Integer(1) << static_cast<unsigned>(-shift);
  return Rational(Integer(floor_of(value / Rational(unit)) * unit));
}

Enclosure widen(Enclosure value, int bits) {
  if (value.infinite == 0 && value.low != value.high) {
    value.low = rounded_down(value.low, bits);
    value.high = -rounded_down(-value.high, bits);
  }
  return value;
}

bool is_less(const Rational& a, const Rational& b) {
  int sign = a.sign();
  if (sign != b.sign()) {
    return sign < b.sign();
  }
  return Integer(numerator(a)) * Integer(denominator(b)) < Integer(numerator(b)) * Integer(denominator(a));
}

std::optional<bool> less(const Enclosure& a, const Enclosure& b) {
  if (a.infinite != 0 || b.infinite != 0) {
    return a.infinite < b.infinite;
  }
  if (is_less(a.high, b.low)) {
    return true;
  }
  return is_less(a.low, b.high) ? std::nullopt : std::optional(false);
}

std::optional<bool> less_equal(const Enclosure& a, const Enclosure& b) {
  auto reverse = less(b, a);
  return reverse ? std::optional(!*reverse) : std::nullopt;
}

std::optional<bool> equal(const Enclosure& a, const Enclosure& b) {
  if (a.infinite != 0 || b.infinite != 0) {
    return a.infinite == b.infinite;
  }
  if (a.exact() && b.exact()) {
    return a.low == b.low;
  }
  return is_less(a.high, b.low) || is_less(b.high, a.low) ? std::optional(false) : std::nullopt;
}

Enclosure negate(const Enclosure& a) { return a.infinite != 0 ? Enclosure::infinity(-a.infinite) : Enclosure(-a.high, -a.low); }

std::optional<Enclosure> add(const Enclosure& a, const Enclosure& b, int bits) {
  if (a.infinite != 0 || b.infinite != 0) {
    if (a.infinite + b.infinite == 0) {
      return std::nullopt;
    }
    return Enclosure::infinity(a.infinite + b.infinite);
  }
  return widen({a.low + b.low, a.high + b.high}, bits);
}

// The sign if it is known; 0 also for exactly zero.
static int known_sign(const Enclosure& a) {
  return a.infinite != 0 ? a.infinite : a.low.sign() > 0 ? 1 : a.high.sign() < 0 ? -1 : 0;
}

std::optional<Enclosure> multiply(const Enclosure& a, const Enclosure& b, int bits) {
  if (a.infinite != 0 || b.infinite != 0) {
    int sign = known_sign(a) * known_sign(b);
    return sign == 0 ? std::nullopt : std::optional(Enclosure::infinity(sign));
  }
  if (a.exact() && b.exact()) {
    return Enclosure(a.low * b.low);
  }
  if (a.low.sign() < 0 && a.high.sign() <= 0) {
    auto opposite = multiply(negate(a), b, bits);
    return negate(*opposite);
  }
  if (b.low.sign() < 0 && b.high.sign() <= 0) {
    auto opposite = multiply(a, negate(b), bits);
    return negate(*opposite);
  }
  if (a.low.sign() >= 0) {
    return widen({b.low.sign() >= 0 ? a.low * b.low : a.high * b.low, a.high * b.high}, bits);
  }
  if (b.low.sign() >= 0) {
    return widen({a.low * b.high, a.high * b.high}, bits);
  }
  auto [low, high] = std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high}, is_less);
  return widen({low, high}, bits);
}

std::optional<Enclosure> divide(const Enclosure& a, const Enclosure& b, int bits) {
  if (b.infinite != 0) {
    return a.infinite != 0 ? std::nullopt : std::optional(Enclosure(Rational(0)));
  }
  if (b.low.sign() <= 0 && b.high.sign() >= 0) {
    return std::nullopt;
  }
  if (b.exact()) {
    return multiply(a, Enclosure(1 / b.low), bits);
  }
  return multiply(a, Enclosure(1 / b.high, 1 / b.low), bits);
}

Enclosure least(const Enclosure& a, const Enclosure& b) {
  if (a.infinite != 0 || b.infinite != 0) {
    return a.infinite < b.infinite ? a : b;
  }
  return {is_less(b.low, a.low) ? b.low : a.low, is_less(b.high, a.high) ? b.high : a.high};
}

Enclosure greatest(const Enclosure& a, const Enclosure& b) { return negate(least(negate(a), negate(b))); }

std::string to_text(const Enclosure& value) {
  if (value.infinite != 0) {
    return value.infinite < 0 ? "-inf" : "inf";
  }
  if (value.exact()) {
    return to_text(value.low);
  }
  return fmt::format("[{:.17g}, {:.17g}]", double_of(value.low), double_of(value.high));
}

}  // namespace vouch
