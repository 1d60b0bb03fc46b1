#include "tensor/element.h"

#include <cmath>

#include "tensor/tensor.h"

namespace vouch {

NumberRange range_of(DType dtype) {
  unsigned bits = dtype == DType::Bool ? 1 : 8 * static_cast<unsigned>(byte_size(dtype));
  bool negative = is_integer(dtype) && is_signed(dtype);
  Integer span = Integer(1) << bits;
  Rational low = negative ? Rational(-span / 2) : Rational(0);
  return {low, low + Rational(span) - 1};
}

bool has_number(DType dtype, const Rational& number) {
  return is_float(dtype) ? nearest_element(dtype, number) == number : is_integral(number) && range_of(dtype).holds(number);
}

std::optional<Rational> nearest_element(DType dtype, const Rational& number) {
  constexpr int kExactInEach = 256;  // bfloat16 has eight bits
  if (!is_float(dtype)) {
    return std::nullopt;
  }
  if (is_integral(number) && abs(number) <= kExactInEach) {
    return number;
  }
  Tensor element(dtype, {});
  element.set_double(0, double_of(number));
  double nearest = element.double_at(0);
  return std::isfinite(nearest) ? std::optional(rational_of(nearest)) : std::nullopt;
}

}  // namespace vouch
