// Elementary functions at rational points, by MPFR: once rounded down, once up, so that the value is in between. `p` is a number
// of bits that the ends have at least. Nothing: not defined there, or too large to write down.
#pragma once

#include <optional>

#include "term/enclosure.h"

namespace vouch::rounded {

using Maybe = std::optional<Enclosure>;

inline Enclosure plus(const Enclosure& a, const Enclosure& b, int p) { return *add(a, b, p); }
inline Enclosure minus(const Enclosure& a, const Enclosure& b, int p) { return *add(a, negate(b), p); }
inline Enclosure times(const Enclosure& a, const Enclosure& b, int p) { return *multiply(a, b, p); }
inline Enclosure scaled(const Enclosure& a, const Rational& factor) {
  return factor < 0 ? Enclosure(a.high * factor, a.low * factor) : Enclosure(a.low * factor, a.high * factor);
}
inline Enclosure with_error(const Enclosure& value, const Rational& error) { return {value.low - error, value.high + error}; }

Enclosure pi(int p);
Maybe square_root(const Rational& x, int p);  // exact for squares
Maybe exponential(const Rational& x, int p);
Maybe logarithm(const Rational& x, int p);
Maybe sine(const Enclosure& x, int p);
Maybe cosine(const Enclosure& x, int p);
Maybe arcsine(const Rational& x, int p);
Maybe arctangent(const Rational& x, int p);
Maybe hyperbolic_sine(const Rational& x, int p);
Maybe hyperbolic_cosine(const Rational& x, int p);
Maybe hyperbolic_tangent(const Rational& x, int p);
Maybe area_sine(const Rational& x, int p);
Maybe area_cosine(const Rational& x, int p);
Maybe area_tangent(const Rational& x, int p);
Maybe error_function(const Rational& x, int p);

}  // namespace vouch::rounded
