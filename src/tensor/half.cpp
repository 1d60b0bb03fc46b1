#include "tensor/half.h"

#include <bit>
#include <cmath>

namespace vouch {
namespace {

// Rounds to a binary format with `mantissa` explicit bits and the exponent range of bias `bias`; returns its bits
// with the sign above them. nearbyint rounds half to even, so one scaled rounding serves normals and subnormals.
std::uint16_t round_to(double value, int mantissa, int bias) {
  const int exponent_bits = 15 - mantissa;
  const auto infinity = static_cast<std::uint16_t>(((1 << exponent_bits) - 1) << mantissa);
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  if (std::isnan(value)) {
    return static_cast<std::uint16_t>(sign | infinity | (1 << (mantissa - 1)));
  }
  double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) {
    return static_cast<std::uint16_t>(sign | infinity);
  }
  if (magnitude == 0) {
    return sign;
  }
  int exponent = std::ilogb(magnitude);
  if (exponent > bias) {
    return static_cast<std::uint16_t>(sign | infinity);
  }
  exponent = exponent < 1 - bias ? 1 - bias : exponent;
  // In units of the last place; a carry out of the mantissa moves on to the next exponent, or to infinity.
  auto units = static_cast<int>(std::nearbyint(std::ldexp(magnitude, mantissa - exponent)));
  int bits = ((exponent + bias - 1) << mantissa) + units;
  return static_cast<std::uint16_t>(sign | (bits > infinity ? infinity : bits));
}

}  // namespace

float float_of_half(std::uint16_t bits) {
  int exponent = (bits >> 10) & 31;
  int mantissa = bits & 1023;
  float magnitude = exponent == 31  ? (mantissa ? std::nanf("") : INFINITY)
                    : exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -24)
                                    : std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
  return std::copysign(magnitude, bits & 0x8000 ? -1.0F : 1.0F);
}

std::uint16_t half_of_double(double value) { return round_to(value, 10, 15); }

float float_of_bfloat(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

std::uint16_t bfloat_of_double(double value) { return round_to(value, 7, 127); }

}  // namespace vouch
