// Element types of tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace vouch {

enum class DType : std::uint8_t {
  Float32,
  Float64,
  Float16,
  BFloat16,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Bool,
  // Of storage: elements are kept in these types and moved, and computed with as others (TypeSet kStorage).
  Int4,
  UInt4,
  Float8E4M3FN,
  Float8E4M3FNUZ,
  Float8E5M2,
  Float8E5M2FNUZ,
};
inline constexpr int kDTypeCount = 19;

// Of an element in memory: 4-bit integers have a byte each.
std::size_t byte_size(DType dtype);
// Of an element's number: 1 of bool, 4 of 4-bit integers.
unsigned bit_width(DType dtype);
// Of the integers, and of the significands, that the type holds exactly, signs apart: 24 of float32, 7 of int8.
int exact_bits(DType dtype);
bool is_float(DType dtype);
// Signed or unsigned; Bool is neither integer nor float.
bool is_integer(DType dtype);
bool is_signed(DType dtype);
// Floats of 8 bits: each has an exponent range of its own, and what lies beyond it becomes NaN in three of the four.
bool is_float8(DType dtype);
// Floats that tell 0 from -0.
bool has_negative_zero(DType dtype);
// `float32`, `int64`, `bool`, …
std::string_view dtype_name(DType dtype);
std::optional<DType> parse_dtype(std::string_view name);

}  // namespace vouch
