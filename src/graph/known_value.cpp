#include "graph/known_value.h"

#include "graph/draws.h"
#include "graph/foreign.h"

namespace vouch {
namespace {

// Elements that a computation from constants may have more than its operands.
constexpr std::int64_t kMostGrowth = 1 << 16;

// The elements of integers that shape arithmetic knows as numbers.
std::optional<Tensor> known_elements(const Graph& graph, NodeId node) {
  const std::vector<Term>* contents = graph.contents(node);
  auto extents = graph.type(node).concrete_extents();
  if (contents == nullptr || !extents || is_float(graph.type(node).dtype())) {
    return std::nullopt;
  }
  std::vector<std::int64_t> elements;
  for (Term term : *contents) {
    auto number = const_int(term);
    if (!number) {
      return std::nullopt;
    }
    elements.push_back(*number);
  }
  return Tensor::of_ints(graph.type(node).dtype(), *extents, elements);
}

// A result of a call that the table does not have, and that is known to be a function.
bool is_of_known_function(const Graph& graph, NodeId node) {
  NodeId call = graph.kind(node) == NodeKind::Projection ? graph.operands(node)[0] : kNoNode;
  return call != kNoNode && graph.kind(call) == NodeKind::Call && graph.op(call) == foreign_op() &&
         !foreign_meaning(graph.attributes(call)).empty();
}

// Nothing if an operand is not known.
std::optional<std::vector<EvalValue>> known_operands(const Graph& graph, NodeId node,
                                                     const std::function<const Tensor*(NodeId)>& known) {
  std::vector<EvalValue> out;
  for (NodeId operand : graph.operands(node)) {
    EvalValue& value = out.emplace_back();
    if (operand == kNoNode) {
      continue;
    }
    value.is_tuple = graph.kind(operand) == NodeKind::Tuple;
    std::vector<NodeId> items(1, operand);
    if (value.is_tuple) {
      items.assign(graph.operands(operand).begin(), graph.operands(operand).end());
    }
    for (NodeId item : items) {
      const Tensor* elements = known(item);
      if (elements == nullptr) {
        return std::nullopt;
      }
      value.items.push_back(*elements);
    }
  }
  return out;
}

}  // namespace

std::optional<Tensor> known_value(const Graph& graph, NodeId node, const std::function<const Tensor*(NodeId)>& known,
                                  GraphEvaluator& evaluator) {
  if (graph.has_value(node)) {
    return graph.value(node);
  }
  NodeId call = is_of_known_function(graph, node) ? graph.operands(node)[0] : node;
  bool may_be =
      call != node || (graph.kind(node) == NodeKind::Call && !op_def(graph.op(node)).opaque && !may_draw(op_def(graph.op(node))));
  if (!may_be || !graph.type(node).is_tensor()) {
    return std::nullopt;
  }
  if (auto elements = known_elements(graph, node)) {
    return elements;
  }
  auto operands = known_operands(graph, call, known);
  auto extents = graph.type(node).concrete_extents();
  auto count = extents ? element_count(*extents) : std::nullopt;
  if (!operands || !count) {
    return std::nullopt;
  }
  std::int64_t most = kMostGrowth;
  for (const EvalValue& operand : *operands) {
    for (const Tensor& item : operand.items) {
      most += item.count();
    }
  }
  Diagnostics ignored;
  auto results = *count <= most ? evaluator.call(graph.op(call), *operands, graph.attributes(call), graph.name(call), ignored)
                                : std::nullopt;
  return results ? std::optional(std::move((*results)[call == node ? 0 : graph.projection_index(node)])) : std::nullopt;
}

RunOptions small_runs() {
  RunOptions options;
  options.most_bytes = std::int64_t{1} << 28;
  options.most_terms = 1 << 28;
  return options;
}

const Tensor* KnownNodes::of(NodeId node) {
  learn(node, 0);
  return value(node);
}

const Tensor* KnownNodes::value(NodeId node) const {
  auto found = known_.find(node);
  return found == known_.end() || !found->second ? nullptr : &*found->second;
}

void KnownNodes::learn(NodeId node, std::size_t depth) {
  constexpr std::size_t kMostCalls = 256;
  if (node == kNoNode || depth > kMostCalls || known_.contains(node)) {
    return;
  }
  known_.emplace(node, std::nullopt);
  for (NodeId operand : graph_.operands(node)) {
    learn(operand, depth + 1);
  }
  known_[node] = known_value(
      graph_, node, [this](NodeId operand) { return value(operand); }, evaluator_);
}

}  // namespace vouch
