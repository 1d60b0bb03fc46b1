#include "tensor/tensor.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "support/fault.h"
#include "tensor/float8.h"
#include "tensor/half.h"
#include "tensor/memory_budget.h"

namespace vouch {

std::optional<std::int64_t> element_count(std::span<const std::int64_t> extents) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 59;  // times 8 bytes stays below 2^62
  std::int64_t count = 1;
  bool empty = false;
  for (std::int64_t extent : extents) {
    if (extent < 0) {
      return std::nullopt;
    }
    empty |= extent == 0;
    if (extent != 0 && __builtin_mul_overflow(count, extent, &count)) {
      return std::nullopt;
    }
    if (count > kLimit) {
      return std::nullopt;
    }
  }
  return empty ? 0 : count;
}

// The number modulo 16, as a byte.
static std::uint8_t four_bits(DType dtype, std::uint8_t value) {
  auto low = static_cast<std::uint8_t>(value & 15);
  return dtype == DType::Int4 && low > 7 ? static_cast<std::uint8_t>(low | 0xF0) : low;
}

static std::int64_t checked_count(const Extents& extents) {
  auto count = element_count(extents);
  ensure(count.has_value(), "a tensor whose element count does not fit");
  return *count;
}

Tensor::Tensor(DType dtype, Extents extents)
    : dtype_(dtype),
      extents_(std::move(extents)),
      count_(checked_count(extents_)),
      bytes_(charged(std::vector<std::byte>(static_cast<std::size_t>(count_) * byte_size(dtype)))) {}

Tensor::Tensor(DType dtype, Extents extents, std::vector<std::byte> bytes)
    : dtype_(dtype), extents_(std::move(extents)), count_(checked_count(extents_)), bytes_(charged(std::move(bytes))) {
  ensure(bytes_->size() == static_cast<std::size_t>(count_) * byte_size(dtype), "bytes fit the tensor's type");
  if (bit_width(dtype) == 4) {
    for (std::byte& byte : *bytes_) {
      byte = std::byte{four_bits(dtype, static_cast<std::uint8_t>(byte))};
    }
  }
}

Tensor Tensor::of_ints(DType dtype, Extents extents, std::span<const std::int64_t> values) {
  Tensor tensor(dtype, std::move(extents));
  ensure(static_cast<std::size_t>(tensor.count_) == values.size(), "one value for each element");
  for (std::int64_t i = 0; i < tensor.count_; ++i) {
    tensor.set_int(i, values[static_cast<std::size_t>(i)]);
  }
  return tensor;
}

Tensor Tensor::of_doubles(DType dtype, Extents extents, std::span<const double> values) {
  Tensor tensor(dtype, std::move(extents));
  ensure(static_cast<std::size_t>(tensor.count_) == values.size(), "one value for each element");
  for (std::int64_t i = 0; i < tensor.count_; ++i) {
    tensor.set_double(i, values[static_cast<std::size_t>(i)]);
  }
  return tensor;
}

Tensor held_as(const Tensor& tensor, DType floats) {
  Tensor out(floats, tensor.extents());
  for (std::int64_t i = 0; i < tensor.count(); ++i) {
    out.set_double(i, tensor.double_at(i));
  }
  return out;
}

std::span<std::byte> Tensor::mutable_bytes() {
  if (bytes_.use_count() != 1) {
    bytes_ = charged(*bytes_);
  }
  return *bytes_;
}

namespace {

template <class T>
T load(std::span<const std::byte> bytes, std::int64_t position) {
  T value;
  std::memcpy(&value, bytes.data() + static_cast<std::size_t>(position) * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void store(std::span<std::byte> bytes, std::int64_t position, T value) {
  std::memcpy(bytes.data() + static_cast<std::size_t>(position) * sizeof(T), &value, sizeof(T));
}

// Saturates, since a conversion out of range has no meaning in C++; NaN becomes 0.
std::int64_t int_of_double(double value) {
  if (std::isnan(value)) {
    return 0;
  }
  if (value >= 0x1p63) {
    return INT64_MAX;
  }
  return value <= -0x1p63 ? INT64_MIN : static_cast<std::int64_t>(value);
}

}  // namespace

double Tensor::double_at(std::int64_t position) const {
  switch (dtype_) {
    case DType::Float32: return load<float>(*bytes_, position);
    case DType::Float64: return load<double>(*bytes_, position);
    case DType::Float16: return float_of_half(load<std::uint16_t>(*bytes_, position));
    case DType::BFloat16: return float_of_bfloat(load<std::uint16_t>(*bytes_, position));
    case DType::UInt64: return static_cast<double>(load<std::uint64_t>(*bytes_, position));
    case DType::Int8:
    case DType::Int16:
    case DType::Int32:
    case DType::Int64:
    case DType::UInt8:
    case DType::UInt16:
    case DType::UInt32:
    case DType::Int4:
    case DType::UInt4:
    case DType::Bool: return static_cast<double>(int_at(position));
    case DType::Float8E4M3FN:
    case DType::Float8E4M3FNUZ:
    case DType::Float8E5M2:
    case DType::Float8E5M2FNUZ: return double_of_float8(dtype_, load<std::uint8_t>(*bytes_, position));
  }
  return 0;
}

std::int64_t Tensor::int_at(std::int64_t position) const {
  switch (dtype_) {
    case DType::Int4:
    case DType::Int8: return load<std::int8_t>(*bytes_, position);
    case DType::Int16: return load<std::int16_t>(*bytes_, position);
    case DType::Int32: return load<std::int32_t>(*bytes_, position);
    case DType::Int64:
    case DType::UInt64: return load<std::int64_t>(*bytes_, position);
    case DType::UInt4:
    case DType::UInt8: return load<std::uint8_t>(*bytes_, position);
    case DType::UInt16: return load<std::uint16_t>(*bytes_, position);
    case DType::UInt32: return load<std::uint32_t>(*bytes_, position);
    case DType::Bool: return load<std::uint8_t>(*bytes_, position) != 0;
    case DType::Float32:
    case DType::Float64:
    case DType::Float8E4M3FN:
    case DType::Float8E4M3FNUZ:
    case DType::Float8E5M2:
    case DType::Float8E5M2FNUZ:
    case DType::Float16:
    case DType::BFloat16: return int_of_double(double_at(position));
  }
  return 0;
}

void Tensor::set_double(std::int64_t position, double value) {
  std::span<std::byte> bytes = mutable_bytes();
  switch (dtype_) {
    case DType::Float32: return store(bytes, position, static_cast<float>(value));
    case DType::Float64: return store(bytes, position, value);
    case DType::Float16: return store(bytes, position, half_of_double(value));
    case DType::BFloat16: return store(bytes, position, bfloat_of_double(value));
    case DType::Bool: return store(bytes, position, static_cast<std::uint8_t>(value != 0));
    case DType::UInt64:
      if (value >= 0x1p63) {
        return store(bytes, position, value >= 0x1p64 ? UINT64_MAX : static_cast<std::uint64_t>(value));
      }
      return set_int(position, int_of_double(value));
    case DType::Int8:
    case DType::Int16:
    case DType::Int32:
    case DType::Int64:
    case DType::UInt8:
    case DType::UInt16:
    case DType::UInt32:
    case DType::Int4:
    case DType::UInt4: return set_int(position, int_of_double(value));
    case DType::Float8E4M3FN:
    case DType::Float8E4M3FNUZ:
    case DType::Float8E5M2:
    case DType::Float8E5M2FNUZ: return store(bytes, position, float8_of_double(dtype_, value));
  }
}

void Tensor::set_int(std::int64_t position, std::int64_t value) {
  std::span<std::byte> bytes = mutable_bytes();
  switch (dtype_) {
    case DType::Int4:
    case DType::UInt4: return store(bytes, position, four_bits(dtype_, static_cast<std::uint8_t>(value)));
    case DType::Int8:
    case DType::UInt8: return store(bytes, position, static_cast<std::uint8_t>(value));
    case DType::Int16:
    case DType::UInt16: return store(bytes, position, static_cast<std::uint16_t>(value));
    case DType::Int32:
    case DType::UInt32: return store(bytes, position, static_cast<std::uint32_t>(value));
    case DType::Int64:
    case DType::UInt64: return store(bytes, position, value);
    case DType::Bool: return store(bytes, position, static_cast<std::uint8_t>(value != 0));
    case DType::Float32:
    case DType::Float64:
    case DType::Float8E4M3FN:
    case DType::Float8E4M3FNUZ:
    case DType::Float8E5M2:
    case DType::Float8E5M2FNUZ:
    case DType::Float16:
    case DType::BFloat16: return set_double(position, static_cast<double>(value));
  }
}

bool operator==(const Tensor& a, const Tensor& b) {
  return a.dtype_ == b.dtype_ && a.extents_ == b.extents_ &&
         (a.bytes_ == b.bytes_ || std::memcmp(a.bytes_->data(), b.bytes_->data(), a.bytes_->size()) == 0);
}

}  // namespace vouch
