// Operators of ONNX that put elements where other elements say.
#include <fmt/format.h>

#include <algorithm>

#include "io/evaluated_node.h"

namespace vouch {
// Of each sequence of a batch the first elements, as many as are said, in reverse order.
EvaluatedResults evaluate_reverse_sequence(EvaluatedNode& node) {
  if (!node.needs({2, 1})) {
    return std::nullopt;
  }
  const Tensor& x = node.operand(0);
  const Tensor& lengths = node.operand(1);
  std::int64_t batch = node.integer("batch_axis", 1);
  std::int64_t time = node.integer("time_axis", 0);
  if (std::min(batch, time) != 0 || std::max(batch, time) != 1 || lengths.extents() != Extents{x.extents()[batch == 0 ? 0 : 1]}) {
    return node.fail("batch_axis and time_axis must be 0 and 1, and there must be a length for each of the batch");
  }
  std::int64_t steps = x.extents()[time == 0 ? 0 : 1];
  std::int64_t row = x.extents()[0] * x.extents()[1] == 0 ? 0 : x.count() / (x.extents()[0] * x.extents()[1]);
  Tensor out = x;
  for (std::int64_t b = 0; b < lengths.count(); ++b) {
    std::int64_t length = lengths.int_at(b);
    if (length < 0 || length > steps) {
      return node.fail(fmt::format("length {} of {} steps", length, steps));
    }
    for (std::int64_t t = 0; t < length; ++t) {
      std::int64_t other = length - 1 - t;
      std::int64_t to = time == 0 ? t * lengths.count() + b : b * steps + t;
      std::int64_t from = time == 0 ? other * lengths.count() + b : b * steps + other;
      for (std::int64_t k = 0; k < row; ++k) {
        copy_element(x, from * row + k, out, to * row + k);
      }
    }
  }
  return std::vector<Tensor>{std::move(out)};
}

}  // namespace vouch
