#include "tensor/element.h"

#include <cmath>
#include <cstring>
#include <vector>

#include "support/nearest.h"
#include "tensor/float8.h"
#include "tensor/tensor.h"

namespace vouch {

static double greatest_float(DType dtype) {
  switch (dtype) {
    case DType::Float16: return 0x1.ffcp15;
    case DType::BFloat16: return 0x1.fep127;
    case DType::Float32: return 0x1.fffffep127;
    case DType::Float64: return 0x1.fffffffffffffp1023;
    default: return greatest_float8(dtype);
  }
}

static NumberRange make_range(DType dtype) {
  if (is_float(dtype)) {
    Rational greatest = rational_of(greatest_float(dtype));
    return {-greatest, greatest};
  }
  unsigned bits = bit_width(dtype);
  bool negative = is_integer(dtype) && is_signed(dtype);
  Integer span = Integer(1) << bits;
  Rational low = negative ? Rational(-span / 2) : Rational(0);
  return {low, low + Rational(span) - 1};
}

static const NumberRange& known_range(DType dtype) {
  static const std::vector<NumberRange> ranges = [] {
    std::vector<NumberRange> all;
    for (int k = 0; k < kDTypeCount; ++k) {
      all.push_back(make_range(static_cast<DType>(k)));
    }
    return all;
  }();
  return ranges[static_cast<std::size_t>(dtype)];
}

NumberRange range_of(DType dtype) { return known_range(dtype); }

bool has_number(DType dtype, const Rational& number) {
  if (is_float(dtype)) {
    return nearest_element(dtype, number) == number;
  }
  if (!is_integral(number)) {
    return false;
  }
  const NumberRange& range = known_range(dtype);
  const Integer whole = numerator(number);
  return numerator(range.low) <= whole && whole <= numerator(range.high);
}

Integer whole_element(const Tensor& tensor, std::int64_t position) {
  std::int64_t word = tensor.int_at(position);
  return tensor.dtype() == DType::UInt64 ? Integer(static_cast<std::uint64_t>(word)) : Integer(word);
}

std::optional<Rational> nearest_element(DType dtype, const Rational& number) {
  constexpr int kExactInEach = 256;  // bfloat16 has eight bits, and only floats of 8 bits have fewer
  if (!is_float(dtype)) {
    return std::nullopt;
  }
  if (is_integral(number) && abs(number) <= kExactInEach && !is_float8(dtype)) {
    return number;
  }
  Tensor element(dtype, {});
  element.set_double(0, dtype == DType::Float64 ? double_of(number) : double_to_round(number));
  double nearest = element.double_at(0);
  return std::isfinite(nearest) ? std::optional(rational_of(nearest)) : std::nullopt;
}

// Of these an exponent of ones is infinity or NaN. Without a way out of the loop it runs in wide registers.
template <class Bits, std::size_t N>
static bool all_below(std::span<const std::byte, N> elements, Bits exponent) {
  Bits beyond = 0;
  for (std::size_t at = 0; at < elements.size(); at += sizeof(Bits)) {
    Bits bits = 0;
    std::memcpy(&bits, elements.data() + at, sizeof bits);
    beyond = static_cast<Bits>(beyond | static_cast<Bits>((bits & exponent) == exponent));
  }
  return beyond == 0;
}

template <class Bits>
static bool all_finite_bits(const Tensor& tensor, Bits exponent) {
  constexpr std::size_t kBlock = 4096;  // a loop of a length that is known runs in wide registers
  std::span<const std::byte> left = tensor.bytes();
  for (; left.size() >= kBlock; left = left.subspan(kBlock)) {
    if (!all_below(left.first<kBlock>(), exponent)) {
      return false;
    }
  }
  return all_below(left, exponent);
}

bool all_finite(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::Float32: return all_finite_bits<std::uint32_t>(tensor, 0x7f800000U);
    case DType::Float64: return all_finite_bits<std::uint64_t>(tensor, 0x7ff0000000000000U);
    case DType::Float16: return all_finite_bits<std::uint16_t>(tensor, 0x7c00U);
    case DType::BFloat16: return all_finite_bits<std::uint16_t>(tensor, 0x7f80U);
    default: break;
  }
  for (std::int64_t i = 0; is_float(tensor.dtype()) && i < tensor.count(); ++i) {
    if (!std::isfinite(tensor.double_at(i))) {
      return false;
    }
  }
  return true;
}

}  // namespace vouch
