#include "tensor/element.h"

#include <cmath>

#include "tensor/tensor.h"

namespace vouch {

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
