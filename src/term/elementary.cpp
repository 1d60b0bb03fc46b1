// Power series with explicit remainders after argument reduction. `p` is a number of bits; every step rounds outwards.
#include "term/elementary.h"

#include <algorithm>
#include <map>

#include "support/fault.h"

namespace vouch {
namespace {

using Maybe = std::optional<Enclosure>;

Rational power_of_two(long exponent) {
  Integer magnitude = Integer(1) << static_cast<unsigned>(exponent < 0 ? -exponent : exponent);
  return exponent < 0 ? Rational(Integer(1), magnitude) : Rational(magnitude);
}

Enclosure plus(const Enclosure& a, const Enclosure& b, int p) { return *add(a, b, p); }
Enclosure minus(const Enclosure& a, const Enclosure& b, int p) { return *add(a, negate(b), p); }
Enclosure times(const Enclosure& a, const Enclosure& b, int p) { return *multiply(a, b, p); }
Enclosure scaled(const Enclosure& a, const Rational& factor) {
  return factor < 0 ? Enclosure(a.high * factor, a.low * factor) : Enclosure(a.low * factor, a.high * factor);
}
Enclosure with_error(const Enclosure& value, const Rational& error) { return {value.low - error, value.high + error}; }

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

// Too large to write down beyond a million bits.
Maybe exponential(const Rational& x, int p) {
  if (x == 0) {
    return Enclosure(Rational(1));
  }
  if (x > 500000) {
    return std::nullopt;
  }
  if (x < -500000) {
    return Enclosure(Rational(0), power_of_two(-700000));  // e^-500000 < 2^-700000
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

// f on the ends of an enclosure, for increasing f.
template <class F>
Maybe increasing(const Enclosure& x, int p, F f) {
  Maybe low = f(x.low, p);
  Maybe high = x.exact() ? low : f(x.high, p);
  if (!low || !high) {
    return std::nullopt;
  }
  return widen({low->low, high->high}, p);
}

Maybe log_of(const Enclosure& x, int p) { return increasing(x, p, logarithm); }
Maybe root_of(const Enclosure& x, int p) { return increasing(x, p, square_root); }

Maybe arcsine(const Rational& x, int p) {
  if (abs(x) > 1) {
    return std::nullopt;
  }
  if (x == 1 || x == -1) {
    return scaled(pi(p), x / 2);
  }
  auto slope = divide(Enclosure(x), *root_of(Enclosure(1 - x * x), p + 16), p + 16);
  return slope ? increasing(*slope, p, arctangent) : std::nullopt;
}

Maybe area_sine(const Rational& x, int p) {
  if (x < 0) {
    Maybe mirrored = area_sine(-x, p);
    return mirrored ? Maybe(negate(*mirrored)) : mirrored;
  }
  return log_of(plus(Enclosure(x), *root_of(Enclosure(x * x + 1), p + 8), p + 8), p);
}

Maybe area_cosine(const Rational& x, int p) {
  return x < 1 ? std::nullopt : log_of(plus(Enclosure(x), *root_of(Enclosure(x * x - 1), p + 8), p + 8), p);
}

Maybe area_tangent(const Rational& x, int p) {
  if (abs(x) >= 1) {
    return std::nullopt;
  }
  auto log = logarithm((1 + x) / (1 - x), p);
  return log ? Maybe(scaled(*log, Rational(1, 2))) : log;
}

Rational half_to_even(const Rational& x) {
  Rational low(floor_of(x));
  Rational rest = x - low;
  bool up = rest > Rational(1, 2) || (rest == Rational(1, 2) && floor_mod(Integer(numerator(low)), Integer(2)) == 1);
  return up ? low + 1 : low;
}

Rational truncated(const Rational& x) { return x < 0 ? Rational(Integer(-floor_of(-x))) : Rational(floor_of(x)); }

template <class F>
Enclosure stepwise(const Enclosure& x, F f) {
  return {f(x.low), f(x.high)};
}

Enclosure magnitude(const Enclosure& x) {
  Rational reach = std::max(abs(x.low), abs(x.high));
  return x.contains(0) ? Enclosure(Rational(0), reach) : Enclosure(std::min(abs(x.low), abs(x.high)), reach);
}

Maybe integral_power(const Rational& base, const Integer& exponent) {
  auto n = int64_of(exponent);
  if (base == 0 && exponent < 0) {
    return std::nullopt;
  }
  if (base == 0 || base == 1) {
    return Enclosure(exponent == 0 ? Rational(1) : base);
  }
  unsigned size = static_cast<unsigned>(msb(abs(Integer(numerator(base)))) + msb(Integer(denominator(base))) + 1);
  if (!n || std::abs(*n) > 1000000 || std::abs(*n) * size > 1000000) {
    return std::nullopt;
  }
  auto steps = static_cast<unsigned>(std::abs(*n));
  Rational power(Integer(pow(Integer(numerator(base)), steps)), Integer(pow(Integer(denominator(base)), steps)));
  return Enclosure(*n < 0 ? 1 / power : power);
}

Maybe power(const Enclosure& base, const Enclosure& exponent, int p) {
  if (exponent.exact() && is_integral(exponent.low)) {
    if (base.exact()) {
      return integral_power(base.low, Integer(numerator(exponent.low)));
    }
    if (exponent.low == 2) {
      Enclosure size = magnitude(base);
      return multiply(size, size, p);
    }
  }
  if (exponent.exact() && exponent.low == Rational(1, 2)) {
    return root_of(base, p);
  }
  if (base.exact() && base.low == 0 && exponent.low > 0) {
    return Enclosure(Rational(0));
  }
  auto log = log_of(base, p + 16);
  return log ? increasing(*multiply(*log, exponent, p + 16), p, exponential) : std::nullopt;
}

// a - b * whole(a / b), where `whole` rounds the quotient.
Maybe remainder(const Enclosure& a, const Enclosure& b, int p, Rational (*whole)(const Rational&)) {
  auto quotient = divide(a, b, p);
  if (!quotient || quotient->infinite != 0) {
    return std::nullopt;
  }
  return minus(a, times(b, stepwise(*quotient, whole), p), p);
}

Rational floor_rational(const Rational& x) { return Rational(floor_of(x)); }

Maybe of_infinity(Fn fn, int sign) {
  switch (fn) {
    case Fn::Exp: return sign < 0 ? Enclosure(Rational(0)) : Enclosure::infinity(1);
    case Fn::Tanh:
    case Fn::Erf:
    case Fn::Sign: return Enclosure(Rational(sign));
    case Fn::Abs:
    case Fn::Cosh: return Enclosure::infinity(1);
    case Fn::Log:
    case Fn::Sqrt:
    case Fn::Acosh: return sign < 0 ? std::nullopt : Maybe(Enclosure::infinity(1));
    case Fn::Floor:
    case Fn::Ceil:
    case Fn::Round:
    case Fn::Trunc:
    case Fn::Sinh:
    case Fn::Asinh: return Enclosure::infinity(sign);
    case Fn::Sin:
    case Fn::Cos:
    case Fn::Tan:
    case Fn::Asin:
    case Fn::Acos:
    case Fn::Atan:
    case Fn::Atanh:
    case Fn::Min:
    case Fn::Max:
    case Fn::Pow:
    case Fn::Mod:
    case Fn::Fmod:
    case Fn::TruncDiv: return std::nullopt;
  }
  return std::nullopt;
}

Maybe tangent(const Enclosure& x, int p) {
  auto top = sine(x, p + 8);
  auto bottom = cosine(x, p + 8);
  return divide(*top, *bottom, p);
}

Maybe hyperbolic_cosine(const Enclosure& x, int p) {
  Enclosure size = magnitude(x);  // even, and increasing from 0
  return increasing(
      size, p, [](const Rational& at, int q) -> Maybe { return at == 0 ? Maybe(Enclosure(Rational(1))) : hyperbolic(at, 1, q); });
}

Maybe arccosine(const Enclosure& x, int p) {
  if (x.exact() && x.low == 1) {
    return Enclosure(Rational(0));
  }
  auto sine_of = increasing(x, p + 8, arcsine);
  return sine_of ? Maybe(minus(scaled(pi(p + 8), Rational(1, 2)), *sine_of, p)) : sine_of;
}

}  // namespace

std::optional<Enclosure> eval_fn(Fn fn, std::span<const Enclosure> args, int p) {
  const Enclosure& x = args[0];
  if (fn == Fn::Min || fn == Fn::Max) {
    return fn == Fn::Min ? least(x, args[1]) : greatest(x, args[1]);
  }
  for (const Enclosure& arg : args) {
    if (arg.infinite != 0) {
      return args.size() == 1 ? of_infinity(fn, x.infinite) : std::nullopt;
    }
  }
  switch (fn) {
    case Fn::Exp: return increasing(x, p, exponential);
    case Fn::Log: return log_of(x, p);
    case Fn::Sqrt: return root_of(x, p);
    case Fn::Tanh: return increasing(x, p, hyperbolic_tangent);
    case Fn::Erf: return increasing(x, p, error_function);
    case Fn::Abs: return x.exact() ? Enclosure(abs(x.low)) : magnitude(x);
    case Fn::Sign: return stepwise(x, [](const Rational& at) { return Rational(at.sign()); });
    case Fn::Floor: return stepwise(x, floor_rational);
    case Fn::Ceil: return stepwise(x, [](const Rational& at) { return Rational(Integer(-floor_of(-at))); });
    case Fn::Round: return stepwise(x, half_to_even);
    case Fn::Trunc: return stepwise(x, truncated);
    case Fn::Sin: return sine(x, p);
    case Fn::Cos: return cosine(x, p);
    case Fn::Tan: return tangent(x, p);
    case Fn::Asin: return increasing(x, p, arcsine);
    case Fn::Acos: return arccosine(x, p);
    case Fn::Atan: return increasing(x, p, arctangent);
    case Fn::Sinh:
      return increasing(x, p, [](const Rational& at, int q) -> Maybe {
        return at == 0 ? Maybe(Enclosure(Rational(0))) : hyperbolic(at, -1, q);
      });
    case Fn::Cosh: return hyperbolic_cosine(x, p);
    case Fn::Asinh: return increasing(x, p, area_sine);
    case Fn::Acosh: return increasing(x, p, area_cosine);
    case Fn::Atanh: return increasing(x, p, area_tangent);
    case Fn::Pow: return power(x, args[1], p);
    case Fn::Mod: return remainder(x, args[1], p, floor_rational);
    case Fn::Fmod: return remainder(x, args[1], p, truncated);
    case Fn::TruncDiv: {
      auto quotient = divide(x, args[1], p);
      return quotient ? Maybe(stepwise(*quotient, truncated)) : quotient;
    }
    case Fn::Min:
    case Fn::Max: break;
  }
  fault("a function of no kind");
}

}  // namespace vouch
