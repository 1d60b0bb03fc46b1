// Concrete tensors: an element type, extents, and the elements in row-major order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tensor/dtype.h"

namespace vouch {

using Extents = std::vector<std::int64_t>;

// The number of elements; nothing if an extent is negative or the product (or its bytes) exceeds 2^62.
std::optional<std::int64_t> element_count(std::span<const std::int64_t> extents);

// Copying shares the elements until one of both writes them.
class Tensor {
 public:
  // All zeros. The extents must have an element count; the caller bounds memory.
  Tensor(DType dtype, Extents extents);
  // Takes the bytes (native little-endian, row-major); their number must fit dtype and extents.
  Tensor(DType dtype, Extents extents, std::vector<std::byte> bytes);
  static Tensor of_ints(DType dtype, Extents extents, std::span<const std::int64_t> values);
  static Tensor of_doubles(DType dtype, Extents extents, std::span<const double> values);

  DType dtype() const { return dtype_; }
  const Extents& extents() const { return extents_; }
  std::size_t rank() const { return extents_.size(); }
  std::int64_t count() const { return count_; }
  std::span<const std::byte> bytes() const { return *bytes_; }
  // To be written: who shares the elements gets its own first.
  std::span<std::byte> mutable_bytes();

  template <class T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(bytes_->data()), static_cast<std::size_t>(count_)};
  }
  // Element conversions: float types widen to double, integers and bool to int64 (uint64 wraps above 2^63).
  double double_at(std::int64_t position) const;
  std::int64_t int_at(std::int64_t position) const;
  // Rounds floats to nearest even; integers wrap modulo the width; bool is `value != 0`.
  void set_double(std::int64_t position, double value);
  void set_int(std::int64_t position, std::int64_t value);

  // Same type, extents and bytes (so NaN equals itself, and 0 differs from -0).
  friend bool operator==(const Tensor& a, const Tensor& b);

 private:
  DType dtype_;
  Extents extents_;
  std::int64_t count_;
  std::shared_ptr<std::vector<std::byte>> bytes_;
};

// Each element as the nearest number of that type of floats.
Tensor held_as(const Tensor& tensor, DType floats);

}  // namespace vouch
