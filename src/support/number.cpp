#include "support/number.h"

#include <cmath>
#include <limits>

#include "support/fault.h"

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

double double_of(const Rational& value) { return value.convert_to<double>(); }

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
