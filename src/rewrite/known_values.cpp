#include "rewrite/known_values.h"

#include "graph/known_value.h"

namespace vouch {
namespace {

constexpr int kMostCallsDeep = 16;               // calls of calls
constexpr std::int64_t kMostElements = 1 << 16;  // of what is computed here; larger constants are folded before

bool is_small(Type type) {
  auto extents = type.is_tensor() ? type.concrete_extents() : std::nullopt;
  auto elements = extents ? element_count(*extents) : std::nullopt;
  return elements && *elements <= kMostElements;
}

}  // namespace

KnownValues::KnownValues(const Graph& graph) : graph_(graph), evaluator_(small_runs()) {}

const Tensor* KnownValues::of(NodeId node) {
  if (node == kNoNode || !graph_.type(node).is_tensor()) {
    return nullptr;
  }
  if (graph_.has_value(node)) {
    return &graph_.value(node);
  }
  const std::optional<Tensor>& value = at(node, 0);
  return value ? &*value : nullptr;
}

const std::optional<Tensor>& KnownValues::at(NodeId node, int depth) {
  auto found = values_.find(node);
  return found != values_.end() ? found->second : values_[node] = compute(node, depth);
}

std::optional<Tensor> KnownValues::compute(NodeId node, int depth) {
  if (!is_small(graph_.type(node)) || depth == kMostCallsDeep) {
    return std::nullopt;
  }
  auto known = [&](NodeId operand) -> const Tensor* {
    if (graph_.has_value(operand)) {
      return &graph_.value(operand);
    }
    const std::optional<Tensor>& value = at(operand, depth + 1);
    return value ? &*value : nullptr;
  };
  return known_value(graph_, node, known, evaluator_);
}

}  // namespace vouch
