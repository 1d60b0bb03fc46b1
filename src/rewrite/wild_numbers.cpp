#include "rewrite/wild_numbers.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

namespace vouch {
namespace {

// The binary exponent below which products of two numbers begin to underflow.
int smallest_factor(DType dtype) {
  switch (dtype) {
    case DType::Float16:
    case DType::Float8E5M2:
    case DType::Float8E5M2FNUZ: return -7;
    case DType::Float8E4M3FN:
    case DType::Float8E4M3FNUZ: return -3;
    case DType::Float64: return -500;
    default: return -60;
  }
}

// Of numbers that neither absorb numbers about 1 nor take them out of range.
class Tame {
 public:
  explicit Tame(DType dtype) : least_(std::ldexp(1.0, smallest_factor(dtype))), most_(std::ldexp(1.0, exact_bits(dtype) / 2)) {}

  bool holds(double value) const {
    double size = std::abs(value);
    return size == 0 || (size <= most_ && size >= least_);
  }
  // Without a way out of the loop, and of a length that is known: it runs in wide registers so. Sizes of floats are in the order
  // of their bits, NaN above all. Both bounds are numbers of float32.
  template <std::size_t N>
  bool holds_all(std::span<const float, N> values) const {
    const auto least = std::bit_cast<std::uint32_t>(static_cast<float>(least_));
    const auto range = std::bit_cast<std::uint32_t>(static_cast<float>(most_)) - least;
    std::uint32_t wild = 0;
    for (std::size_t k = 0; k < values.size(); ++k) {
      std::uint32_t size = std::bit_cast<std::uint32_t>(values[k]) & 0x7fffffffU;
      wild |= static_cast<std::uint32_t>(size - least > range) & static_cast<std::uint32_t>(size != 0);
    }
    return wild == 0;
  }

 private:
  double least_;
  double most_;
};

}  // namespace

bool has_wild_element(const Tensor& tensor) {
  if (!is_float(tensor.dtype())) {
    return false;
  }
  const Tame tame(tensor.dtype());
  if (tensor.dtype() == DType::Float32) {  // most weights are
    constexpr std::size_t kBlock = 1024;
    std::span<const float> left = tensor.as<float>();
    for (; left.size() >= kBlock; left = left.subspan(kBlock)) {
      if (!tame.holds_all(left.first<kBlock>())) {
        return true;
      }
    }
    return !tame.holds_all(left);
  }
  for (std::int64_t i = 0; i < tensor.count(); ++i) {
    if (!tame.holds(tensor.double_at(i))) {
      return true;
    }
  }
  return false;
}

bool WildNumbers::has_wild(AttrDict attributes) {
  return std::any_of(attributes.entries().begin(), attributes.entries().end(), [](const AttrDict::Entry& entry) {
    const Term* number = entry.second.number();
    return number != nullptr && number->kind() == TermKind::RealConst && !Tame(DType::Float32).holds(double_of((*number)->value));
  });
}

bool WildNumbers::is_wild(NodeId constant, NodeId first_new) {
  if (constant >= first_new) {
    return has_wild_element(graph_.value(constant));
  }
  if (constant >= known_.size()) {
    known_.resize(graph_.id_limit(), Known::Nothing);
  }
  if (known_[constant] == Known::Nothing) {
    known_[constant] = has_wild_element(graph_.value(constant)) ? Known::Wild : Known::Tame;
  }
  return known_[constant] == Known::Wild;
}

inline bool WildNumbers::may_be_at(NodeId node, NodeId first_new) {
  if (node == kNoNode) {
    return false;
  }
  if (graph_.has_value(node)) {
    return is_wild(node, first_new);
  }
  if (graph_.attributes(node) != AttrDict() && graph_.kind(node) == NodeKind::Call && has_wild(graph_.attributes(node))) {
    return true;
  }
  for (NodeId operand : graph_.operands(node)) {
    if (operand != kNoNode && graph_.has_value(operand) && is_wild(operand, first_new)) {
      return true;
    }
  }
  return false;
}

// Each node once: outputs are mostly inside, and results mostly new.
bool WildNumbers::may_be_near(const Match& match, const std::vector<NodeId>& results, NodeId first_new) {
  for (NodeId node : match.inside) {
    if (may_be_at(node, first_new)) {
      return true;
    }
  }
  for (NodeId output : match.outputs) {
    bool looked_at = !match.inside.empty() && (output == match.inside.front() || output == match.inside.back());
    if (!looked_at && may_be_at(output, first_new)) {
      return true;
    }
  }
  for (NodeId result : results) {
    if (result < first_new && may_be_at(result, first_new)) {
      return true;
    }
  }
  for (std::size_t node = first_new; node < graph_.id_limit(); ++node) {
    if (may_be_at(static_cast<NodeId>(node), first_new)) {
      return true;
    }
  }
  return false;
}

}  // namespace vouch
