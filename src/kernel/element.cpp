#include "kernel/element.h"

#include <cmath>
#include <cstring>

namespace vouch {
namespace {

// Saturates, since a conversion out of range has no meaning in C++; NaN becomes 0.
std::int64_t truncated(double value) {
  if (std::isnan(value)) {
    return 0;
  }
  if (value >= 0x1p63) {
    return INT64_MAX;
  }
  return value <= -0x1p63 ? INT64_MIN : static_cast<std::int64_t>(value);
}

std::uint64_t truncated_unsigned(double value) {
  if (value >= 0x1p63) {
    return value >= 0x1p64 ? UINT64_MAX : static_cast<std::uint64_t>(value);
  }
  return static_cast<std::uint64_t>(truncated(value));
}

template <class T, class V, class F>
void store_each(std::span<std::byte> bytes, std::int64_t position, const V* values, std::int64_t step,
                std::int64_t count, F convert) {
  std::byte* to = bytes.data() + static_cast<std::size_t>(position) * sizeof(T);
  for (std::int64_t i = 0; i < count; ++i) {
    T element = convert(values[i * step]);
    std::memcpy(to + static_cast<std::size_t>(i) * sizeof(T), &element, sizeof(T));
  }
}

}  // namespace

void store_reals(DType dtype, std::span<std::byte> bytes, std::int64_t position, const double* values,
                 std::int64_t step, std::int64_t count) {
  auto store = [&]<class T>(T, auto convert) { store_each<T>(bytes, position, values, step, count, convert); };
  auto wrapped = [&]<class T>(T zero) { store(zero, [](double v) { return static_cast<T>(truncated(v)); }); };
  switch (dtype) {
    case DType::Float32: return store(float{}, [](double v) { return static_cast<float>(v); });
    case DType::Float64: return store(double{}, [](double v) { return v; });
    case DType::Float16: return store(std::uint16_t{}, half_of_double);
    case DType::BFloat16: return store(std::uint16_t{}, bfloat_of_double);
    case DType::Int8:
    case DType::UInt8: return wrapped(std::uint8_t{});
    case DType::Int16:
    case DType::UInt16: return wrapped(std::uint16_t{});
    case DType::Int32:
    case DType::UInt32: return wrapped(std::uint32_t{});
    case DType::Int64: return wrapped(std::int64_t{});
    case DType::UInt64: return store(std::uint64_t{}, truncated_unsigned);
    case DType::Bool: return store(std::uint8_t{}, [](double v) { return static_cast<std::uint8_t>(v != 0); });
  }
}

void store_integers(DType dtype, std::span<std::byte> bytes, std::int64_t position, const std::int64_t* values,
                    std::int64_t step, std::int64_t count) {
  auto store = [&]<class T>(T, auto convert) { store_each<T>(bytes, position, values, step, count, convert); };
  auto wrapped = [&]<class T>(T zero) { store(zero, [](std::int64_t v) { return static_cast<T>(v); }); };
  switch (dtype) {
    case DType::Float32: return wrapped(float{});
    case DType::Float64: return wrapped(double{});
    case DType::Float16:
      return store(std::uint16_t{}, [](std::int64_t v) { return half_of_double(static_cast<double>(v)); });
    case DType::BFloat16:
      return store(std::uint16_t{}, [](std::int64_t v) { return bfloat_of_double(static_cast<double>(v)); });
    case DType::Int8:
    case DType::UInt8: return wrapped(std::uint8_t{});
    case DType::Int16:
    case DType::UInt16: return wrapped(std::uint16_t{});
    case DType::Int32:
    case DType::UInt32: return wrapped(std::uint32_t{});
    case DType::Int64:
    case DType::UInt64: return wrapped(std::int64_t{});
    case DType::Bool: return store(std::uint8_t{}, [](std::int64_t v) { return static_cast<std::uint8_t>(v != 0); });
  }
}

}  // namespace vouch
