// Elements of tensors as the interpreter reads and writes many of them at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernel/dtype.h"
#include "kernel/half.h"

namespace vouch {

// Stored forms that convert on reading; laid out as their bits.
struct Half {
  std::uint16_t bits;
  explicit operator double() const { return static_cast<double>(float_of_half(bits)); }
};
struct Bfloat {
  std::uint16_t bits;
  explicit operator double() const { return static_cast<double>(float_of_bfloat(bits)); }
};
struct Truth {
  std::uint8_t bits;
  explicit operator std::int64_t() const { return bits != 0 ? 1 : 0; }
};

// Writes `count` elements from `position` on; value k is values[k * step], converted as `Tensor::set_double` and
// `Tensor::set_int` do.
void store_reals(DType dtype, std::span<std::byte> bytes, std::int64_t position, const double* values,
                 std::int64_t step, std::int64_t count);
void store_integers(DType dtype, std::span<std::byte> bytes, std::int64_t position, const std::int64_t* values,
                    std::int64_t step, std::int64_t count);

}  // namespace vouch
