#include "array/constant.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "support/nearest.h"

namespace vouch::array {

namespace {

// `digits`: of the mantissa; all numbers are below 2^`most`. The exponent is no larger than that of the largest number, so that
// one bound on each, mantissa and exponent, says that a number is one of the type.
std::optional<Const> binary_const(double value, int digits, int most) {
  if (std::isnan(value) || (value == 0 && std::signbit(value))) {
    return std::nullopt;
  }
  if (std::isinf(value)) {
    return Const{0, 0, true, value < 0};
  }
  if (std::trunc(value) == value && std::fabs(value) < std::ldexp(1.0, digits)) {
    return Const{static_cast<std::int64_t>(value), 0, false, false};
  }
  int exponent = 0;
  auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), digits));
  for (exponent -= digits; mantissa % 2 == 0 && exponent < most - digits; ++exponent) {
    mantissa /= 2;
  }
  return Const{mantissa, exponent, false, false};
}

std::optional<Const> whole_const(const Rational& value, int bits) {
  Integer whole = numerator(value);
  bool fits = denominator(value) == 1 && abs(whole) < (Integer(1) << (bits - 1));
  return fits ? std::optional(Const{whole, 0, false, false}) : std::nullopt;
}

}  // namespace

std::optional<Const> const_of(float value) { return binary_const(value, 24, 128); }

std::optional<Const> const_in(Element element, const Rational& value) {
  switch (element) {
    case Element::F32: return const_of(nearest_float(value));
    case Element::F64: return binary_const(double_of(value), 53, 1024);
    case Element::I32: return whole_const(value, 32);
    case Element::I64: return whole_const(value, 64);
    case Element::U64: return value >= 0 ? whole_const(value, 64) : std::nullopt;
    default: return std::nullopt;
  }
}

float float_of(const Const& constant) {
  if (constant.infinite) {
    return constant.negative ? -INFINITY : INFINITY;
  }
  return std::ldexp(static_cast<float>(constant.mantissa.convert_to<std::int64_t>()), constant.exponent.convert_to<int>());
}

bool is_binary32(const Const& constant) {
  return constant.infinite || (abs(constant.mantissa) < 16777216 && constant.exponent >= -149 && constant.exponent <= 104);
}

Const ordinal() {
  Const out;
  out.ordinal = true;
  return out;
}

std::optional<Const> parse_const(const std::string& text) {
  if (text.starts_with("0x")) {
    std::size_t p = text.find('p');
    if (p == std::string::npos || p == 2 || p > 8 || p + 1 == text.size() || text.size() - p > 6) {
      return std::nullopt;
    }
    Const constant{Integer(text.substr(0, p)), std::stoi(text.substr(p + 1)), false, false};
    return is_binary32(constant) ? std::optional(constant) : std::nullopt;
  }
  float value = std::strtof(text.c_str(), nullptr);
  return std::isfinite(value) ? const_of(value) : std::nullopt;
}

std::string print_const(const Const& constant) {
  if (is_binary32(constant)) {
    std::string decimal = fmt::format("{}", float_of(constant));
    if (parse_const(decimal) == constant) {
      return decimal;
    }
  }
  return fmt::format("0x{}p{}", constant.mantissa.str(0, std::ios_base::hex), constant.exponent.str());
}

}  // namespace vouch::array
