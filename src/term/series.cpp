#include "term/series.h"

#include <algorithm>
#include <map>

namespace vouch::series {
namespace {

// Of enclosures, beside those of `Fixed` below.
using series::plus;
using series::scaled;
using series::times;
using series::with_error;

Rational power_of_two(long exponent) {
  Integer magnitude = Integer(1) << static_cast<unsigned>(exponent < 0 ? -exponent : exponent);
  return exponent < 0 ? Rational(Integer(1), magnitude) : Rational(magnitude);
}

// An interval in units of 2^-p: what series are summed in, since adding rationals costs greatest common divisors.
struct Fixed {
  Integer low;
  Integer high;
};

Integer shifted_down(const Integer& value, int p) {
  auto bits = static_cast<unsigned>(p);
  return value < 0 ? Integer(-1 - ((-1 - value) >> bits)) : Integer(value >> bits);
}

Fixed fixed(const Rational& value, int p) {
  Integer low = floor_div(Integer(numerator(value)) << static_cast<unsigned>(p), Integer(denominator(value)));
  return {low, low + 1};
}

Fixed times(const Fixed& a, const Fixed& b, int p) {
  Integer products[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  auto [low, high] = std::minmax_element(std::begin(products), std::end(products));
  return {shifted_down(*low, p), -shifted_down(-*high, p)};
}

Fixed plus(const Fixed& a, const Fixed& b) { return {a.low + b.low, a.high + b.high}; }

// a * factor / divisor, for divisor > 0.
Fixed scaled(const Fixed& a, int factor, int divisor) {
  Fixed out{floor_div(a.low * factor, Integer(divisor)), -floor_div(-a.high * factor, Integer(divisor))};
  if (factor < 0) {
    out = {floor_div(a.high * factor, Integer(divisor)), -floor_div(-a.low * factor, Integer(divisor))};
  }
  return out;
}

Integer reach(const Fixed& a) { return std::max(abs(a.low), abs(a.high)); }

Enclosure enclosure(const Fixed& a, int p) {
  Rational unit = power_of_two(-p);
  return {Rational(a.low) * unit, Rational(a.high) * unit};
}

Fixed with_error(const Fixed& a, const Integer& error) { return {a.low - error, a.high + error}; }

// Sum of x^n / n! for 0 <= x <= 1/2; the remainder is at most the last term.
Fixed exp_series(const Rational& x, int p) {
  Fixed at = fixed(x, p);
  Fixed term{Integer(1) << static_cast<unsigned>(p), Integer(1) << static_cast<unsigned>(p)};
  Fixed sum = term;
  for (int n = 1;; ++n) {
    term = scaled(times(term, at, p), 1, n);
    sum = plus(sum, term);
    if (reach(term) <= 2) {
      return with_error(sum, reach(term));
    }
  }
}

// Sum of z^(2n+1) / (2n+1), with alternating signs for the arctangent; |z| <= 1/2, so the rest is at most a term.
Enclosure odd_series(const Rational& z, bool alternating, int p) {
  int work = p + 16;
  Fixed at = fixed(z, work);
  Fixed square = times(at, at, work);
  Fixed power = at;
  Fixed sum = at;
  for (int n = 1;; ++n) {
    power = times(power, square, work);
    Fixed term = scaled(power, alternating && n % 2 == 1 ? -1 : 1, 2 * n + 1);
    sum = plus(sum, term);
    if (reach(power) <= 2) {
      return enclosure(with_error(sum, reach(power)), work);
    }
  }
}

// A constant to so many bits, computed once.
template <class F>
Enclosure remembered(std::map<int, Enclosure>& known, int p, F compute) {
  auto found = known.find(p);
  return found != known.end() ? found->second : known.emplace(p, compute()).first->second;
}

Enclosure log_two(int p) {
  thread_local std::map<int, Enclosure> known;
  return remembered(known, p, [&] { return scaled(odd_series(Rational(1, 3), false, p), 2); });
}

// sin by its series for |x| <= 4: the terms alternate, and decrease once n > 4.
Enclosure sine_series(const Enclosure& x, int p) {
  int work = p + 24;
  Fixed at = fixed((x.low + x.high) / 2, work);
  Fixed square = times(at, at, work);
  Fixed term = at;
  Fixed sum = at;
  for (int n = 1; n <= 4 || reach(term) > 2; ++n) {
    term = scaled(times(term, square, work), -1, 2 * n * (2 * n + 1));
    sum = plus(sum, term);
  }
  Enclosure value = enclosure(with_error(sum, reach(term)), work);
  value = with_error(value, (x.high - x.low) / 2);  // |sin'| <= 1
  return {std::max(value.low, Rational(-1)), std::min(value.high, Rational(1))};
}

}  // namespace

// Floor of the square root, scaled: exact for squares.
Maybe square_root(const Rational& x, int p) {
  if (x < 0) {
    return std::nullopt;
  }
  Integer top = sqrt(Integer(numerator(x)));
  Integer bottom = sqrt(Integer(denominator(x)));
  if (top * top == Integer(numerator(x)) && bottom * bottom == Integer(denominator(x))) {
    return Enclosure(Rational(top, bottom));
  }
  long magnitude = static_cast<long>(msb(Integer(numerator(x)))) - static_cast<long>(msb(Integer(denominator(x))));
  long shift = p - magnitude / 2 + 2;
  Integer root = sqrt(floor_of(x * power_of_two(2 * shift)));
  Rational unit = power_of_two(-shift);
  return Enclosure(Rational(root) * unit, Rational(Integer(root + 1)) * unit);
}

// e^x = 2^k e^r with r small and not negative: numbers stay as short as p asks, whatever x is.
static Maybe large_exponential(const Rational& x, int p) {
  Enclosure two = log_two(p + 48);
  Integer k = floor_of(x / (x > 0 ? two.high : two.low));
  Enclosure rest = minus(Enclosure(x), scaled(two, Rational(k)), p + 48);
  Rational scale = power_of_two(k.convert_to<long>());
  return Enclosure(exponential(rest.low, p + 8)->low * scale, exponential(rest.high, p + 8)->high * scale);
}

// Beyond 30000 bits it is too large to write down; below 2^-2880 nothing more is said of it. Longer numbers make everything slow
// that they meet, and elements that large or small tell no more than others do.
Maybe exponential(const Rational& x, int p) {
  if (x == 0) {
    return Enclosure(Rational(1));
  }
  if (x > 20000) {
    return std::nullopt;
  }
  if (x < -2000) {
    return Enclosure(Rational(0), power_of_two(-2880));
  }
  if (abs(x) > 32) {
    return large_exponential(x, p);
  }
  if (x < 0) {
    return divide(Enclosure(Rational(1)), *exponential(-x, p + 4), p + 4);
  }
  int halvings = 2 + static_cast<int>(msb(Integer(floor_of(x) + 1)));
  int work = p + 2 * halvings + 16;
  Fixed value = exp_series(x * power_of_two(-halvings), work);
  for (int i = 0; i < halvings; ++i) {
    value = times(value, value, work);
  }
  return widen(enclosure(value, work), p + 4);
}

Maybe logarithm(const Rational& x, int p) {
  if (x <= 0) {
    return std::nullopt;
  }
  if (x == 1) {
    return Enclosure(Rational(0));
  }
  long exponent = static_cast<long>(msb(Integer(numerator(x)))) - static_cast<long>(msb(Integer(denominator(x))));
  Rational mantissa = x * power_of_two(-exponent);  // within (1/2, 2)
  int work = p + 40;
  // log m = 2 artanh((m - 1) / (m + 1)), where |(m - 1) / (m + 1)| < 1/3
  Enclosure small = scaled(odd_series((mantissa - 1) / (mantissa + 1), false, work), 2);
  return plus(small, scaled(log_two(work), exponent), work);
}

Enclosure pi(int p) {
  // Machin: pi = 16 arctan(1/5) - 4 arctan(1/239)
  thread_local std::map<int, Enclosure> known;
  return remembered(known, p, [&] {
    return minus(scaled(odd_series(Rational(1, 5), true, p + 8), 16), scaled(odd_series(Rational(1, 239), true, p + 8), 4),
                 p + 8);
  });
}

Maybe arctangent(const Rational& x, int p) {
  if (x == 0) {
    return Enclosure(Rational(0));
  }
  if (x < 0) {
    return negate(*arctangent(-x, p));
  }
  if (x > 1) {
    return minus(scaled(pi(p + 4), Rational(1, 2)), *arctangent(1 / x, p + 4), p + 4);
  }
  if (x > Rational(1, 2)) {
    // arctan x = arctan(1/2) + arctan((x - 1/2) / (1 + x/2))
    return plus(odd_series(Rational(1, 2), true, p + 4), *arctangent((x - Rational(1, 2)) / (1 + x / 2), p + 4), p + 4);
  }
  return odd_series(x, true, p);
}

Maybe sine(const Enclosure& x, int p) {
  if (x.exact() && x.low == 0) {
    return Enclosure(Rational(0));
  }
  int size = static_cast<int>(msb(Integer(floor_of(std::max(abs(x.low), abs(x.high))) + 1)));
  if (size > 4096) {
    return Enclosure(Rational(-1), Rational(1));
  }
  Enclosure circle = scaled(pi(p + size + 8), 2);
  Integer turns = floor_of((x.low + x.high) / 2 / circle.low + Rational(1, 2));
  Enclosure rest = minus(x, scaled(circle, Rational(turns)), p + size + 8);
  if (rest.high - rest.low > 1) {
    return Enclosure(Rational(-1), Rational(1));
  }
  return sine_series(rest, p);
}

Maybe cosine(const Enclosure& x, int p) {
  if (x.exact() && x.low == 0) {
    return Enclosure(Rational(1));
  }
  return sine(plus(x, scaled(pi(p + 8), Rational(1, 2)), p + 4096), p);
}

// erf x = 2/sqrt(pi) exp(-x^2) * sum of 2^n x^(2n+1) / (1*3*…*(2n+1)); past a ratio of 1/2 the rest is below the term.
Maybe error_function(const Rational& x, int p) {
  if (x == 0) {
    return Enclosure(Rational(0));
  }
  if (x < 0) {
    return negate(*error_function(-x, p));
  }
  if (x * x > 2 * p + 64) {
    return Enclosure(1 - power_of_two(-2 * p - 64), Rational(1));  // 1 - erf x < exp(-x^2) < 2^-(x^2)
  }
  int work = p + 64 + 3 * floor_of(x * x).convert_to<int>();  // the sum grows like exp(x^2) before that factor shrinks it
  Fixed at = fixed(x, work);
  Fixed square = times(at, at, work);
  Fixed term = at;
  Fixed fixed_sum = at;
  Integer one = Integer(1) << static_cast<unsigned>(work);
  for (int n = 1; reach(term) > 2 || 4 * square.high > (2 * n + 1) * one; ++n) {
    term = scaled(times(term, square, work), 2, 2 * n + 1);
    fixed_sum = plus(fixed_sum, term);
  }
  Enclosure sum = enclosure({fixed_sum.low, fixed_sum.high + reach(term)}, work);
  Enclosure root_pi{square_root(pi(work).low, work)->low, square_root(pi(work).high, work)->high};
  Enclosure factor = *divide(scaled(*exponential(-x * x, work), 2), root_pi, work);
  Enclosure value = times(factor, sum, p + 16);
  return Enclosure(value.low, std::min(value.high, Rational(1)));
}

Maybe hyperbolic_tangent(const Rational& x, int p) {
  if (x == 0) {
    return Enclosure(Rational(0));
  }
  if (x < 0) {
    return negate(*hyperbolic_tangent(-x, p));
  }
  // tanh x = 1 - 2 exp(-2x) / (1 + exp(-2x))
  Enclosure decay = *exponential(-2 * x, p + 8);
  Enclosure quotient = *divide(scaled(decay, 2), plus(decay, Enclosure(Rational(1)), p + 8), p + 8);
  return minus(Enclosure(Rational(1)), quotient, p + 8);
}

// (exp x + sign * exp(-x)) / 2
Maybe hyperbolic(const Rational& x, int sign, int p) {
  auto up = exponential(x, p + 8);
  auto down = exponential(-x, p + 8);
  if (!up || !down) {
    return std::nullopt;
  }
  return scaled(plus(*up, sign < 0 ? negate(*down) : *down, p + 8), Rational(1, 2));
}

}  // namespace vouch::series
