#include "rewrite/known_values.h"

#include <algorithm>

namespace vouch {
namespace {

constexpr int kMostCallsDeep = 16;               // calls of calls
constexpr std::int64_t kMostElements = 1 << 16;  // of what is computed here; larger constants are folded before

// What shape arithmetic knows.
std::optional<Tensor> of_contents(const Graph& graph, NodeId node) {
  const std::vector<Term>* contents = graph.contents(node);
  auto extents = graph.type(node).concrete_extents();
  if (contents == nullptr || !extents || is_float(graph.type(node).dtype())) {
    return std::nullopt;
  }
  std::vector<std::int64_t> values;
  for (Term element : *contents) {
    auto value = const_int(element);
    if (!value) {
      return std::nullopt;
    }
    values.push_back(*value);
  }
  return Tensor::of_ints(graph.type(node).dtype(), *extents, values);
}

bool is_small(Type type) {
  auto extents = type.is_tensor() ? type.concrete_extents() : std::nullopt;
  auto elements = extents ? element_count(*extents) : std::nullopt;
  return elements && *elements <= kMostElements;
}

}  // namespace

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
  if (graph_.has_value(node)) {
    return graph_.value(node);
  }
  if (graph_.kind(node) != NodeKind::Call || !is_small(graph_.type(node))) {
    return std::nullopt;
  }
  if (auto counted = of_contents(graph_, node)) {
    return counted;
  }
  if (depth == kMostCallsDeep || graph_.operands(node).empty() || op_def(graph_.op(node)).opaque) {
    return std::nullopt;
  }
  std::vector<EvalValue> operands;
  for (NodeId operand : graph_.operands(node)) {
    EvalValue value;
    if (operand != kNoNode) {
      const std::optional<Tensor>& known = at(operand, depth + 1);
      if (!known) {
        return std::nullopt;
      }
      value.items = {*known};
    }
    operands.push_back(std::move(value));
  }
  Diagnostics diagnostics;
  auto results = evaluator_.call(graph_.op(node), operands, graph_.attributes(node), {}, diagnostics);
  return results && results->size() == 1 ? std::optional(std::move(results->front())) : std::nullopt;
}

}  // namespace vouch
