#include "tensor/float8.h"

#include <algorithm>
#include <cmath>

#include "support/fault.h"

namespace vouch {
namespace {

// `greatest`: the bits of the greatest number; those above it are NaN, or (E5M2) infinity, then NaN.
struct Form {
  int mantissa;
  int bias;
  std::uint8_t greatest;
  bool infinite;
  bool negative_zero;  // else its bits are the one NaN
};

Form form_of(DType dtype) {
  switch (dtype) {
    case DType::Float8E4M3FN: return {3, 7, 0x7E, false, true};
    case DType::Float8E4M3FNUZ: return {3, 8, 0x7F, false, false};
    case DType::Float8E5M2: return {2, 15, 0x7B, true, true};
    case DType::Float8E5M2FNUZ: return {2, 16, 0x7F, false, false};
    default: fault("a float of 8 bits is expected");
  }
}

double magnitude_of(const Form& form, int bits) {
  int exponent = bits >> form.mantissa;
  int fraction = bits & ((1 << form.mantissa) - 1);
  return exponent == 0 ? std::ldexp(fraction, 1 - form.bias - form.mantissa)
                       : std::ldexp(fraction + (1 << form.mantissa), exponent - form.bias - form.mantissa);
}

constexpr std::uint8_t kSign = 0x80;

}  // namespace

double greatest_float8(DType dtype) {
  Form form = form_of(dtype);
  return magnitude_of(form, form.greatest);
}

double double_of_float8(DType dtype, std::uint8_t bits) {
  Form form = form_of(dtype);
  int magnitude = bits & ~kSign;
  if (magnitude > form.greatest || (!form.negative_zero && bits == kSign)) {
    bool infinite = form.infinite && magnitude == form.greatest + 1;
    return infinite ? std::copysign(INFINITY, bits & kSign ? -1.0 : 1.0) : std::nan("");
  }
  return std::copysign(magnitude_of(form, magnitude), bits & kSign ? -1.0 : 1.0);
}

std::uint8_t float8_of_double(DType dtype, double value) {
  Form form = form_of(dtype);
  auto sign = static_cast<std::uint8_t>(std::signbit(value) ? kSign : 0);
  double magnitude = std::fabs(value);
  int units = 0;
  if (magnitude > 0 && std::isfinite(magnitude)) {
    // In units of the last place, half to even; a carry out of the mantissa moves on to the next exponent.
    int exponent = std::max(std::ilogb(magnitude), 1 - form.bias);
    units = exponent > form.bias + 1 ? form.greatest + 1  // beyond each of the forms
                                     : ((exponent + form.bias - 1) << form.mantissa) +
                                           static_cast<int>(std::nearbyint(std::ldexp(magnitude, form.mantissa - exponent)));
  }
  bool beyond = !std::isfinite(value) || units > form.greatest;
  if (beyond && form.infinite && !std::isnan(value)) {
    return static_cast<std::uint8_t>(sign | (form.greatest + 1));
  }
  if (beyond) {
    return form.negative_zero ? static_cast<std::uint8_t>(sign | 0x7F) : kSign;
  }
  bool lost = units == 0 && !form.negative_zero;
  return static_cast<std::uint8_t>(lost ? 0 : sign | units);
}

}  // namespace vouch
