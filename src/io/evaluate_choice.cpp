// Operators of ONNX whose results are some of the elements, or their places.
#include <algorithm>
#include <numeric>

#include "io/evaluated_node.h"

namespace vouch {
namespace {

constexpr const char* kNoOrder = "a NaN has no place in an order";

std::vector<std::int64_t> counted(std::int64_t count) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(count));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

Tensor ints(Extents extents, const std::vector<std::int64_t>& values) {
  return Tensor::of_ints(DType::Int64, std::move(extents), values);
}

bool is_zero(const Tensor& tensor, std::int64_t at) {
  return is_float(tensor.dtype()) ? tensor.double_at(at) == 0 : tensor.int_at(at) == 0;
}

}  // namespace

// The k largest or smallest along an axis, of equal ones those with the smaller index; `sorted = 0` leaves the order open.
EvaluatedResults evaluate_top_k(EvaluatedNode& node) {
  if (!node.needs({1})) {
    return std::nullopt;
  }
  const Tensor& x = node.operand(0);
  auto axis = node.axis("axis", -1);
  if (!axis) {
    return std::nullopt;
  }
  std::int64_t k = node.int_operand(1, node.integer("k", -1));
  if (k < 0 || k > x.extents()[*axis]) {
    return node.fail("k must be a number of elements that the axis has");
  }
  if (holds_nan(x)) {
    return node.fail(kNoOrder);
  }
  AxisView view(x.extents(), *axis);
  Extents extents = x.extents();
  extents[*axis] = k;
  if (!node.may_have(DType::Int64, extents)) {
    return std::nullopt;
  }
  Tensor values(x.dtype(), extents);
  Tensor places(DType::Int64, extents);
  AxisView out(extents, *axis);
  bool largest = node.integer("largest", 1) != 0;
  for (std::int64_t o = 0; o < view.outer; ++o) {
    for (std::int64_t i = 0; i < view.inner; ++i) {
      std::vector<std::int64_t> order = counted(view.size);
      std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        std::int64_t left = view.at(o, largest ? b : a, i);
        return is_less(x, left, view.at(o, largest ? a : b, i));
      });
      for (std::int64_t place = 0; place < k; ++place) {
        std::int64_t chosen = order[static_cast<std::size_t>(place)];
        copy_element(x, view.at(o, chosen, i), values, out.at(o, place, i));
        places.set_int(out.at(o, place, i), chosen);
      }
    }
  }
  return std::vector<Tensor>{std::move(values), std::move(places)};
}

// One row for each axis, one column for each element that is not zero, in row-major order.
EvaluatedResults evaluate_non_zero(EvaluatedNode& node) {
  if (!node.needs({0})) {
    return std::nullopt;
  }
  const Tensor& x = node.operand(0);
  std::vector<std::int64_t> found;
  for (std::int64_t at = 0; at < x.count(); ++at) {
    if (!is_zero(x, at)) {
      found.push_back(at);
    }
  }
  auto columns = static_cast<std::int64_t>(found.size());
  Extents extents{static_cast<std::int64_t>(x.rank()), columns};
  if (!node.may_have(DType::Int64, extents)) {
    return std::nullopt;
  }
  Tensor out(DType::Int64, extents);
  for (std::size_t axis = 0; axis < x.rank(); ++axis) {
    AxisView view(x.extents(), axis);
    for (std::int64_t k = 0; k < columns; ++k) {
      std::int64_t index = found[static_cast<std::size_t>(k)] / view.inner % view.size;
      out.set_int(static_cast<std::int64_t>(axis) * columns + k, index);
    }
  }
  return std::vector<Tensor>{std::move(out)};
}

namespace {

// Slices of a tensor along an axis, compared by the lexicographic order of their elements.
class Slices {
 public:
  Slices(const Tensor& tensor, const Extents& extents, std::size_t axis) : tensor_(tensor), view_(extents, axis) {}

  std::int64_t count() const { return view_.size; }
  bool less(std::int64_t a, std::int64_t b) const {
    for (std::int64_t o = 0; o < view_.outer; ++o) {
      for (std::int64_t i = 0; i < view_.inner; ++i) {
        std::int64_t left = view_.at(o, a, i);
        std::int64_t right = view_.at(o, b, i);
        if (is_less(tensor_, left, right) || is_less(tensor_, right, left)) {
          return is_less(tensor_, left, right);
        }
      }
    }
    return false;
  }
  Tensor picked(const std::vector<std::int64_t>& which, Extents extents, std::size_t axis) const {
    extents[axis] = static_cast<std::int64_t>(which.size());
    Tensor out(tensor_.dtype(), extents);
    AxisView to(extents, axis);
    for (std::int64_t o = 0; o < to.outer; ++o) {
      for (std::int64_t k = 0; k < to.size; ++k) {
        for (std::int64_t i = 0; i < to.inner; ++i) {
          copy_element(tensor_, view_.at(o, which[static_cast<std::size_t>(k)], i), out, to.at(o, k, i));
        }
      }
    }
    return out;
  }

 private:
  const Tensor& tensor_;
  AxisView view_;
};

}  // namespace

// The slices (without an axis, the elements) for which the condition, which may be shorter, says true.
EvaluatedResults evaluate_compress(EvaluatedNode& node) {
  if (!node.needs({0, 1})) {
    return std::nullopt;
  }
  const Tensor& condition = node.operand(1);
  bool flat = !node.has_attribute("axis");
  auto axis = flat ? std::optional<std::size_t>(0) : node.axis("axis", 0);
  if (!axis) {
    return std::nullopt;
  }
  const Tensor& x = node.operand(0);
  Extents from = flat ? Extents{x.count()} : x.extents();
  Slices slices(x, from, *axis);
  if (condition.rank() != 1 || condition.count() > slices.count()) {
    return node.fail("the condition must be a list that is no longer than what it chooses from");
  }
  std::vector<std::int64_t> chosen;
  for (std::int64_t k = 0; k < condition.count(); ++k) {
    if (condition.int_at(k) != 0) {
      chosen.push_back(k);
    }
  }
  return std::vector<Tensor>{slices.picked(chosen, from, *axis)};
}

// The different slices (without an axis, elements), where each came first, which one each is, how many there are of each.
EvaluatedResults evaluate_unique(EvaluatedNode& node) {
  if (!node.needs({0})) {
    return std::nullopt;
  }
  const Tensor& x = node.operand(0);
  bool flat = !node.has_attribute("axis");
  auto axis = flat ? std::optional<std::size_t>(0) : node.axis("axis", 0);
  if (!axis) {
    return std::nullopt;
  }
  if (holds_nan(x)) {
    return node.fail(kNoOrder);
  }
  Extents extents = flat ? Extents{x.count()} : x.extents();
  Slices slices(x, extents, *axis);
  std::vector<std::int64_t> order = counted(slices.count());
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return slices.less(a, b); });
  std::vector<std::vector<std::int64_t>> kinds;  // the first of each is where it came first
  for (std::int64_t k : order) {
    if (kinds.empty() || slices.less(kinds.back()[0], k)) {
      kinds.emplace_back();
    }
    kinds.back().push_back(k);
  }
  if (node.integer("sorted", 1) == 0) {
    std::sort(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a[0] < b[0]; });
  }
  std::vector<std::int64_t> first;
  std::vector<std::int64_t> counts;
  std::vector<std::int64_t> inverse(static_cast<std::size_t>(slices.count()));
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    first.push_back(kinds[kind][0]);
    counts.push_back(static_cast<std::int64_t>(kinds[kind].size()));
    for (std::int64_t k : kinds[kind]) {
      inverse[static_cast<std::size_t>(k)] = static_cast<std::int64_t>(kind);
    }
  }
  auto many = static_cast<std::int64_t>(kinds.size());
  return std::vector<Tensor>{slices.picked(first, extents, *axis), ints({many}, first), ints({slices.count()}, inverse),
                             ints({many}, counts)};
}

namespace {

struct Box {
  float low[2];
  float high[2];
};

// Two opposite corners, in any order, or the middle and the sizes.
Box box_at(const Tensor& boxes, std::int64_t first, bool by_center) {
  float v[4];
  for (std::int64_t k = 0; k < 4; ++k) {
    v[k] = static_cast<float>(boxes.double_at(first + k));
  }
  if (by_center) {
    return {{v[1] - v[3] / 2, v[0] - v[2] / 2}, {v[1] + v[3] / 2, v[0] + v[2] / 2}};
  }
  return {{std::min(v[0], v[2]), std::min(v[1], v[3])}, {std::max(v[0], v[2]), std::max(v[1], v[3])}};
}

float area(const Box& box) { return (box.high[0] - box.low[0]) * (box.high[1] - box.low[1]); }

// Does what both have exceed this part of what either has?
bool overlap(const Box& a, const Box& b, float threshold) {
  float both = 1;
  for (int k = 0; k < 2; ++k) {
    both *= std::max(0.0F, std::min(a.high[k], b.high[k]) - std::max(a.low[k], b.low[k]));
  }
  float either = area(a) + area(b) - both;
  return area(a) > 0 && area(b) > 0 && either > 0 && both / either > threshold;
}

}  // namespace

// For each image and class the boxes by falling score, without those that overlap one before: image, class, box.
EvaluatedResults evaluate_non_max_suppression(EvaluatedNode& node) {
  if (!node.needs({3, 3})) {
    return std::nullopt;
  }
  const Tensor& boxes = node.operand(0);
  const Tensor& scores = node.operand(1);
  std::int64_t count = boxes.extents()[1];
  bool fit = boxes.rank() == 3 && scores.rank() == 3 && boxes.extents()[2] == 4 && scores.extents()[2] == count &&
             scores.extents()[0] == boxes.extents()[0];
  if (!fit || boxes.dtype() != DType::Float32 || scores.dtype() != DType::Float32 || holds_nan(scores) || holds_nan(boxes)) {
    return node.fail("boxes (images, boxes, 4) and scores (images, classes, boxes) must be float32 of one size, without NaN");
  }
  std::int64_t most = node.int_operand(2, 0);
  auto threshold = static_cast<float>(node.float_operand(3, 0));
  bool by_center = node.integer("center_point_box", 0) != 0;
  std::vector<std::int64_t> kept;
  std::int64_t classes = scores.extents()[1];
  for (std::int64_t group = 0; group < scores.extents()[0] * classes; ++group) {
    std::int64_t image = group / classes;
    std::vector<std::int64_t> order;
    for (std::int64_t k = 0; k < count; ++k) {
      if (!node.has(4) || scores.double_at(group * count + k) > node.float_operand(4, 0)) {
        order.push_back(k);
      }
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int64_t a, std::int64_t b) { return is_less(scores, group * count + b, group * count + a); });
    std::vector<Box> chosen;
    for (std::int64_t k : order) {
      Box box = box_at(boxes, (image * count + k) * 4, by_center);
      bool full = static_cast<std::int64_t>(chosen.size()) >= most;
      if (full || std::any_of(chosen.begin(), chosen.end(), [&](const Box& other) { return overlap(box, other, threshold); })) {
        continue;
      }
      chosen.push_back(box);
      kept.insert(kept.end(), {image, group % classes, k});
    }
  }
  return std::vector<Tensor>{ints({static_cast<std::int64_t>(kept.size()) / 3, 3}, kept)};
}

}  // namespace vouch
