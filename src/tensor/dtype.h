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
};
inline constexpr int kDTypeCount = 13;

std::size_t byte_size(DType dtype);
bool is_float(DType dtype);
// Signed or unsigned; Bool is neither integer nor float.
bool is_integer(DType dtype);
bool is_signed(DType dtype);
// `float32`, `int64`, `bool`, …
std::string_view dtype_name(DType dtype);
std::optional<DType> parse_dtype(std::string_view name);

}  // namespace vouch
