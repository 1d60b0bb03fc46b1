#include "support/number.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/fault.h"
#include "support/nearest.h"

namespace boost {
namespace multiprecision::backends {

template void divide_unsigned_helper(Whole*, const Whole&, const Whole&, Whole&);
template void divide_unsigned_helper(Whole*, const Whole&, limb_type, Whole&);
template void add_unsigned(Whole&, const Whole&, const Whole&);
template void add_unsigned(Whole&, const Whole&, const limb_type&);
template void subtract_unsigned(Whole&, const Whole&, const Whole&);
template void subtract_unsigned(Whole&, const Whole&, const limb_type&);
template void eval_multiply(Whole&, const Whole&, const Whole&);
template void eval_gcd(Whole&, const Whole&, const Whole&);
template void eval_gcd(Whole&, const Whole&, limb_type);

}  // namespace multiprecision::backends

template class rational<multiprecision::number<multiprecision::cpp_int_backend<>>>;

}  // namespace boost

namespace vouch {

Integer floor_div(const Integer& a, const Integer& b) {
  ensure(b != 0, "floor division by zero");
  Integer quotient = a / b;
  if (a % b != 0 && ((a < 0) != (b < 0))) {
    quotient -= 1;
  }
  return quotient;
}

Integer floor_mod(const Integer& a, const Integer& b) { return a - b * floor_div(a, b); }

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  ensure(b != 0, "floor division by zero");
  std::int64_t quotient = a / b;
  return quotient - (a % b != 0 && ((a < 0) != (b < 0)));
}

std::int64_t floor_mod(std::int64_t a, std::int64_t b) { return a - b * floor_div(a, b); }

Integer floor_of(const Rational& value) { return floor_div(Integer(numerator(value)), Integer(denominator(value))); }

bool is_integral(const Rational& value) { return denominator(value) == 1; }

bool is_zero(const Rational& value) { return value.is_zero(); }

bool is_one(const Rational& value) { return numerator(value) == 1 && denominator(value) == 1; }

Rational times(const Rational& a, const Rational& b) {
  if (is_one(a) || is_one(b)) {
    return is_one(a) ? b : a;
  }
  if (!is_integral(a) || !is_integral(b)) {
    return a * b;
  }
  return Rational(Integer(numerator(a) * numerator(b)));
}

Rational plus(const Rational& a, const Rational& b) {
  if (is_zero(a) || is_zero(b)) {
    return is_zero(a) ? b : a;
  }
  if (!is_integral(a) || !is_integral(b)) {
    return a + b;
  }
  return Rational(Integer(numerator(a) + numerator(b)));
}

Rational rational_of(double value) {
  ensure(std::isfinite(value), "only finite numbers are rational");
  int exponent = 0;
  double mantissa = std::frexp(value, &exponent);
  Integer scaled(static_cast<std::int64_t>(std::ldexp(mantissa, 53)));
  exponent -= 53;
  if (exponent >= 0) {
    return Rational(Integer(scaled << exponent));
  }
  return Rational(scaled, Integer(1) << -exponent);
}

namespace {

constexpr int kDigits = std::numeric_limits<double>::digits;
constexpr int kLeast = -1074;  // the exponent of the smallest double

// The double that is next to a positive number towards zero, and how far the number is beyond it: by nothing, by less than half
// of the last place, by half, or by more. Boost's conversion rounds twice where doubles have fewer than 53 digits.
enum class Beyond { Nothing, Little, Half, Much };
struct Cut {
  Integer mantissa;
  int exponent = 0;
  Beyond beyond = Beyond::Nothing;
};

Cut cut(const Integer& number, const Integer& divisor) {
  auto magnitude = static_cast<std::int64_t>(msb(number)) - static_cast<std::int64_t>(msb(divisor));
  if (magnitude > std::numeric_limits<double>::max_exponent) {
    return {1, static_cast<int>(std::min<std::int64_t>(magnitude, std::numeric_limits<int>::max())), Beyond::Nothing};
  }
  // With this exponent there are 53 digits, or 54.
  auto exponent = static_cast<int>(std::max<std::int64_t>(magnitude - kDigits, kLeast));
  while (true) {
    Integer top = exponent < 0 ? Integer(number << -exponent) : number;
    Integer bottom = exponent < 0 ? divisor : Integer(divisor << exponent);
    Integer mantissa, rest;
    divide_qr(top, bottom, mantissa, rest);
    if (mantissa == 0 || msb(mantissa) < kDigits) {
      int half = Integer(rest << 1).compare(bottom);
      return {mantissa, exponent,
              rest == 0   ? Beyond::Nothing
              : half < 0  ? Beyond::Little
              : half == 0 ? Beyond::Half
                          : Beyond::Much};
    }
    ++exponent;
  }
}

// `is_up`: whether a cut number is the double next to it away from zero.
template <class IsUp>
double rounded(const Rational& value, IsUp is_up) {
  if (value == 0) {
    return 0;
  }
  Cut near = cut(abs(numerator(value)), denominator(value));
  auto mantissa = static_cast<double>(near.mantissa.convert_to<std::int64_t>() + (is_up(near) ? 1 : 0));
  return std::copysign(std::ldexp(mantissa, near.exponent), value < 0 ? -1.0 : 1.0);
}

}  // namespace

double double_of(const Rational& value) {
  return rounded(value, [](const Cut& near) {
    return near.beyond == Beyond::Much || (near.beyond == Beyond::Half && bit_test(near.mantissa, 0));
  });
}

double double_to_round(const Rational& value) {
  return rounded(value, [](const Cut& near) { return near.beyond != Beyond::Nothing && !bit_test(near.mantissa, 0); });
}

float nearest_float(const Rational& value) { return static_cast<float>(double_to_round(value)); }

std::optional<std::int64_t> int64_of(const Integer& value) {
  const auto& words = value.backend();
  if (words.size() == 1 && *words.limbs() <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    auto magnitude = static_cast<std::int64_t>(*words.limbs());
    return words.sign() ? -magnitude : magnitude;
  }
  if (value < std::numeric_limits<std::int64_t>::min() || value > std::numeric_limits<std::int64_t>::max()) {
    return std::nullopt;
  }
  return value.convert_to<std::int64_t>();
}

static std::string to_text(const Integer& value) {
  auto small = int64_of(value);
  return small ? std::to_string(*small) : value.str();
}

std::string to_text(const Rational& value) {
  std::string whole = to_text(Integer(numerator(value)));
  return is_integral(value) ? whole : whole + "/" + to_text(Integer(denominator(value)));
}

}  // namespace vouch
