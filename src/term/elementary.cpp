#include "term/elementary.h"

#include <algorithm>

#include "support/fault.h"
#include "term/rounded.h"
#include "term/uninterpreted.h"

namespace vouch {
namespace {

using namespace rounded;

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
  constexpr std::int64_t kMostBits = 1 << 14;  // no element type comes near it, and what is larger takes seconds to compute with
  if (!n || std::abs(*n) > kMostBits || std::abs(*n) * size > kMostBits) {
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

Maybe arccosine(const Enclosure& x, int p) {
  if (x.exact() && x.low == 1) {
    return Enclosure(Rational(0));
  }
  auto sine_of = increasing(x, p + 8, arcsine);
  return sine_of ? Maybe(minus(scaled(pi(p + 8), Rational(1, 2)), *sine_of, p)) : sine_of;
}

}  // namespace

std::optional<Enclosure> eval_fn(Fn fn, std::span<const Enclosure> args, int p) {
  if (uninterpreted_number(fn)) {
    return std::nullopt;
  }
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
    case Fn::Sinh: return increasing(x, p, hyperbolic_sine);
    case Fn::Cosh: return increasing(magnitude(x), p, hyperbolic_cosine);  // even, and increasing from 0
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
