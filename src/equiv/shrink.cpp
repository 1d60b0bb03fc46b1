#include "equiv/shrink.h"

#include <algorithm>
#include <optional>

namespace vouch {
namespace {

// Nothing if they are all 0 already.
std::optional<Tensor> zeroed(const Tensor& tensor, std::int64_t begin, std::int64_t size) {
  auto width = static_cast<std::ptrdiff_t>(byte_size(tensor.dtype()));
  std::ptrdiff_t first = begin * width;
  std::ptrdiff_t last = std::min(begin + size, tensor.count()) * width;
  std::span<const std::byte> old = tensor.bytes();
  if (std::all_of(old.begin() + first, old.begin() + last, [](std::byte byte) { return byte == std::byte{0}; })) {
    return std::nullopt;
  }
  std::vector<std::byte> bytes(old.begin(), old.end());
  std::fill(bytes.begin() + first, bytes.begin() + last, std::byte{0});
  return Tensor(tensor.dtype(), tensor.extents(), std::move(bytes));
}

}  // namespace

std::vector<Tensor> shrunk(std::vector<Tensor> inputs, const ShrinkOptions& options) {
  std::int64_t runs = options.runs;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    bool may_be_zero = options.may_be_zero(k);
    for (std::int64_t size = inputs[k].count(); may_be_zero && size > 0; size = size == 1 ? 0 : (size + 1) / 2) {
      for (std::int64_t begin = 0; begin < inputs[k].count(); begin += size) {
        auto fewer = zeroed(inputs[k], begin, size);
        if (fewer && runs-- <= 0) {
          return inputs;
        }
        if (fewer) {
          std::swap(inputs[k], *fewer);
          if (!options.keeps(inputs)) {
            std::swap(inputs[k], *fewer);
          }
        }
      }
    }
  }
  return inputs;
}

}  // namespace vouch
