// Operators of ONNX that put elements where other elements say.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/evaluated_node.h"

namespace vouch {
namespace {

// Exact for floats of half the width of double, and for double's own, once it is rounded to the type.
double combined(const std::string& reduction, double old, double update) {
  if (reduction == "add" || reduction == "mul") {
    return reduction == "add" ? old + update : old * update;
  }
  if (std::isnan(old) || std::isnan(update)) {
    return std::isnan(old) ? old : update;
  }
  return reduction == "max" ? std::max(old, update) : std::min(old, update);
}

void combine_integers(const std::string& reduction, Tensor& into, std::int64_t at, const Tensor& updates, std::int64_t from) {
  auto old = static_cast<std::uint64_t>(into.int_at(at));
  auto update = static_cast<std::uint64_t>(updates.int_at(from));
  if (reduction == "add" || reduction == "mul") {
    into.set_int(at, static_cast<std::int64_t>(reduction == "add" ? old + update : old * update));
    return;
  }
  bool is_unsigned = into.dtype() == DType::UInt64;
  bool smaller = is_unsigned ? update < old : static_cast<std::int64_t>(update) < static_cast<std::int64_t>(old);
  if (smaller == (reduction == "min")) {
    into.set_int(at, static_cast<std::int64_t>(update));
  }
}

bool fit_scatter(EvaluatedNode& node, std::size_t axis, const std::string& reduction) {
  const Extents& x = node.operand(0).extents();
  const Extents& places = node.operand(1).extents();
  bool known = reduction == "none" || reduction == "add" || reduction == "mul" || reduction == "max" || reduction == "min";
  bool fit = places.size() == x.size() && node.operand(2).extents() == places && known &&
             node.operand(2).dtype() == node.operand(0).dtype() &&
             (reduction == "none" || node.operand(0).dtype() != DType::Bool);
  for (std::size_t k = 0; fit && k < x.size(); ++k) {
    fit = k == axis || places[k] <= x[k];
  }
  if (!fit) {
    node.fail("indices and updates must have one shape, which fits into the data, and the reduction be one of ONNX's");
  }
  return fit;
}

}  // namespace

// The data, with the updates at the places that the indices name along an axis; of several for one place all count, in order.
EvaluatedResults evaluate_scatter_elements(EvaluatedNode& node) {
  auto axis = node.needs({1, 1, 1}) ? node.axis("axis", 0) : std::nullopt;
  std::string reduction = node.text("reduction", "none");
  if (!axis || !fit_scatter(node, *axis, reduction)) {
    return std::nullopt;
  }
  Tensor out = node.operand(0);
  const Tensor& places = node.operand(1);
  const Tensor& updates = node.operand(2);
  for (std::int64_t from = 0; from < places.count(); ++from) {
    std::int64_t at = 0;
    std::int64_t rest = from;
    std::int64_t stride = 1;
    for (std::size_t k = out.rank(); k-- > 0;) {
      std::int64_t index = k == *axis ? places.int_at(from) : rest % places.extents()[k];
      std::int64_t size = out.extents()[k];
      if (index < -size || index >= size) {
        return node.fail(fmt::format("index {} is out of range for axis {} of size {}", index, k, size));
      }
      at += (index < 0 ? index + size : index) * stride;
      stride *= size;
      rest /= places.extents()[k];
    }
    if (reduction == "none") {
      copy_element(updates, from, out, at);
    } else if (is_float(out.dtype())) {
      out.set_double(at, combined(reduction, out.double_at(at), updates.double_at(from)));
    } else {
      combine_integers(reduction, out, at, updates, from);
    }
  }
  return std::vector<Tensor>{std::move(out)};
}

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
