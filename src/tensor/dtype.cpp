#include "tensor/dtype.h"

#include <array>

namespace vouch {
namespace {

enum class Class : std::uint8_t { Float, Signed, Unsigned, Bool };

struct Row {
  DType dtype;
  std::string_view name;
  std::uint8_t bytes;
  std::uint8_t exact_bits;
  Class kind;
};

constexpr std::array<Row, kDTypeCount> kRows = {{
    {DType::Float32, "float32", 4, 24, Class::Float},
    {DType::Float64, "float64", 8, 53, Class::Float},
    {DType::Float16, "float16", 2, 11, Class::Float},
    {DType::BFloat16, "bfloat16", 2, 8, Class::Float},
    {DType::Int8, "int8", 1, 7, Class::Signed},
    {DType::Int16, "int16", 2, 15, Class::Signed},
    {DType::Int32, "int32", 4, 31, Class::Signed},
    {DType::Int64, "int64", 8, 63, Class::Signed},
    {DType::UInt8, "uint8", 1, 8, Class::Unsigned},
    {DType::UInt16, "uint16", 2, 16, Class::Unsigned},
    {DType::UInt32, "uint32", 4, 32, Class::Unsigned},
    {DType::UInt64, "uint64", 8, 64, Class::Unsigned},
    {DType::Bool, "bool", 1, 1, Class::Bool},
    {DType::Int4, "int4", 1, 3, Class::Signed},
    {DType::UInt4, "uint4", 1, 4, Class::Unsigned},
    {DType::Float8E4M3FN, "float8e4m3fn", 1, 4, Class::Float},
    {DType::Float8E4M3FNUZ, "float8e4m3fnuz", 1, 4, Class::Float},
    {DType::Float8E5M2, "float8e5m2", 1, 3, Class::Float},
    {DType::Float8E5M2FNUZ, "float8e5m2fnuz", 1, 3, Class::Float},
}};

constexpr bool rows_in_order() {
  for (int i = 0; i < kDTypeCount; ++i) {
    if (static_cast<int>(kRows[static_cast<std::size_t>(i)].dtype) != i) {
      return false;
    }
  }
  return true;
}
static_assert(rows_in_order(), "one row for each element type, in order");

const Row& row(DType dtype) { return kRows[static_cast<std::size_t>(dtype)]; }

}  // namespace

std::size_t byte_size(DType dtype) { return row(dtype).bytes; }
unsigned bit_width(DType dtype) {
  bool half = dtype == DType::Int4 || dtype == DType::UInt4;
  return dtype == DType::Bool ? 1 : half ? 4 : 8 * static_cast<unsigned>(byte_size(dtype));
}
int exact_bits(DType dtype) { return row(dtype).exact_bits; }
bool is_float(DType dtype) { return row(dtype).kind == Class::Float; }
bool is_integer(DType dtype) { return row(dtype).kind == Class::Signed || row(dtype).kind == Class::Unsigned; }
bool is_signed(DType dtype) { return row(dtype).kind == Class::Float || row(dtype).kind == Class::Signed; }
bool is_float8(DType dtype) { return is_float(dtype) && byte_size(dtype) == 1; }
bool has_negative_zero(DType dtype) {
  return is_float(dtype) && dtype != DType::Float8E4M3FNUZ && dtype != DType::Float8E5M2FNUZ;
}
std::string_view dtype_name(DType dtype) { return row(dtype).name; }

std::optional<DType> parse_dtype(std::string_view name) {
  for (const Row& candidate : kRows) {
    if (candidate.name == name) {
      return candidate.dtype;
    }
  }
  return std::nullopt;
}

}  // namespace vouch
