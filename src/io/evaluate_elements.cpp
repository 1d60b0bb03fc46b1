// Operators of ONNX that look at one element, or at two of one place, by its bits.
#include <fmt/format.h>

#include <algorithm>

#include "io/evaluated_node.h"

namespace vouch {
namespace {

// Extents by ONNX's broadcasting; nothing where two sizes do not fit.
std::optional<Extents> broadcast(const Extents& a, const Extents& b) {
  Extents out(std::max(a.size(), b.size()), 1);
  for (const Extents* extents : {&a, &b}) {
    std::size_t ahead = out.size() - extents->size();
    for (std::size_t axis = 0; axis < extents->size(); ++axis) {
      std::int64_t size = (*extents)[axis];
      std::int64_t& known = out[ahead + axis];
      if (size != 1 && known != 1 && known != size) {
        return std::nullopt;
      }
      known = size != 1 ? size : known;
    }
  }
  return out;
}

// Where the element at `place` of the broadcast result comes from.
std::int64_t source_of(std::int64_t place, const Extents& result, const Extents& from) {
  std::int64_t at = 0;
  std::int64_t stride = 1;
  for (std::size_t back = 1; back <= result.size(); ++back) {
    std::int64_t index = place % result[result.size() - back];
    place /= result[result.size() - back];
    if (back <= from.size()) {
      at += from[from.size() - back] == 1 ? 0 : index * stride;
      stride *= from[from.size() - back];
    }
  }
  return at;
}

template <class Combine>
EvaluatedResults integers_by(EvaluatedNode& node, Combine combine) {
  if (!node.needs({0, 0})) {
    return std::nullopt;
  }
  const Tensor& a = node.operand(0);
  const Tensor& b = node.operand(1);
  auto extents = broadcast(a.extents(), b.extents());
  if (!extents || a.dtype() != b.dtype() || is_float(a.dtype()) || a.dtype() == DType::Bool) {
    return node.fail("both operands must be integers of one type, and of sizes that fit");
  }
  if (!node.may_have(a.dtype(), *extents)) {
    return std::nullopt;
  }
  Tensor out(a.dtype(), *extents);
  for (std::int64_t at = 0; at < out.count(); ++at) {
    auto left = static_cast<std::uint64_t>(a.int_at(source_of(at, *extents, a.extents())));
    auto right = static_cast<std::uint64_t>(b.int_at(source_of(at, *extents, b.extents())));
    out.set_int(at, static_cast<std::int64_t>(combine(left, right)));
  }
  return std::vector<Tensor>{std::move(out)};
}

}  // namespace

// Of numbers without a sign, so what comes in is 0. ONNX does not say what a shift by the width or more gives.
EvaluatedResults evaluate_bit_shift(EvaluatedNode& node) {
  if (!node.needs({0, 0})) {
    return std::nullopt;
  }
  bool left = node.text("direction", "") == "LEFT";
  auto width = static_cast<std::uint64_t>(bit_width(node.operand(0).dtype()));
  std::uint64_t most = 0;
  for (std::int64_t at = 0; at < node.operand(1).count(); ++at) {
    most = std::max(most, static_cast<std::uint64_t>(node.operand(1).int_at(at)));
  }
  if (most >= width) {
    return node.fail(fmt::format("a shift of {} bits by {} has no meaning", width, most));
  }
  return integers_by(node, [=](std::uint64_t x, std::uint64_t by) { return left ? x << by : x >> by; });
}

EvaluatedResults evaluate_bitwise_and(EvaluatedNode& node) {
  return integers_by(node, [](std::uint64_t a, std::uint64_t b) { return a & b; });
}

EvaluatedResults evaluate_bitwise_or(EvaluatedNode& node) {
  return integers_by(node, [](std::uint64_t a, std::uint64_t b) { return a | b; });
}

EvaluatedResults evaluate_bitwise_xor(EvaluatedNode& node) {
  return integers_by(node, [](std::uint64_t a, std::uint64_t b) { return a ^ b; });
}

EvaluatedResults evaluate_bitwise_not(EvaluatedNode& node) {
  if (!node.needs({0})) {
    return std::nullopt;
  }
  const Tensor& x = node.operand(0);
  if (is_float(x.dtype()) || x.dtype() == DType::Bool) {
    return node.fail("the operand must be integers");
  }
  Tensor out(x.dtype(), x.extents());
  for (std::int64_t at = 0; at < x.count(); ++at) {
    out.set_int(at, ~x.int_at(at));
  }
  return std::vector<Tensor>{std::move(out)};
}

}  // namespace vouch
