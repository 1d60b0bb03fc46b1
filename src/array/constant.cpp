#include "array/constant.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace vouch::array {

std::optional<Const> const_of(float value) {
  if (std::isnan(value) || (value == 0 && std::signbit(value))) {
    return std::nullopt;
  }
  if (std::isinf(value)) {
    return Const{0, 0, true, value < 0};
  }
  if (std::trunc(value) == value && std::fabs(value) < 16777216.0F) {
    return Const{static_cast<std::int64_t>(value), 0, false, false};
  }
  int exponent = 0;
  auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 24));
  for (exponent -= 24; mantissa % 2 == 0; ++exponent) {
    mantissa /= 2;
  }
  return Const{mantissa, exponent, false, false};
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
