#include "graph/exact.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/concrete_types.h"
#include "graph/contents.h"
#include "graph/order.h"
#include "support/fault.h"
#include "term/partial_function.h"

namespace vouch {
namespace {

Type type_of(const ExactTensor& tensor) { return Type::tensor(tensor.dtype, tensor.extents); }

Type type_of(const std::vector<ExactTensor>& value, bool is_tuple) {
  std::vector<Type> items;
  std::transform(value.begin(), value.end(), std::back_inserter(items), [](const ExactTensor& t) { return type_of(t); });
  return is_tuple ? Type::tuple(std::move(items)) : items.at(0);
}

// Elements as terms; nothing if one is not exactly known, or there are too many.
std::optional<std::vector<Term>> contents_of_exact(const ExactTensor& tensor) {
  if (static_cast<std::int64_t>(tensor.values.size()) > kMostKnownElements || !tensor.missing.empty()) {
    return std::nullopt;
  }
  std::vector<Term> out;
  for (const ExactNumber& number : tensor.values) {
    if (!number.exact()) {
      return std::nullopt;
    }
    Enclosure value = number.enclosure();
    out.push_back(is_float(tensor.dtype) ? real_const(value.low) : int_const(Integer(numerator(value.low))));
  }
  return out;
}

EvalFailure at_node(const Graph& graph, NodeId node, EvalProblem problem, const std::string& message) {
  return {problem, fmt::format("node '{}': {}", graph.name(node), message)};
}

std::vector<Type> types_of_operands(const Graph& graph, NodeId node, const std::vector<std::vector<ExactTensor>>& values) {
  std::vector<Type> types;
  for (NodeId operand : graph.operands(node)) {
    types.push_back(operand == kNoNode ? Type() : type_of(values[operand], graph.type(operand).is_tuple()));
  }
  return types;
}

bool divides_integers(Term term) {
  return integer_divisor_of(term) || std::any_of(term.args().begin(), term.args().end(), divides_integers);
}

bool all_have_values(const std::vector<ExactTensor>& tensors) {
  return std::all_of(tensors.begin(), tensors.end(), [](const ExactTensor& tensor) { return tensor.missing.empty(); });
}

constexpr std::int64_t kMostHeld = 8;  // times what one call may have: of all values that are still read

std::int64_t elements_of(const std::vector<ExactTensor>& value) {
  std::int64_t count = 0;
  for (const ExactTensor& tensor : value) {
    count += static_cast<std::int64_t>(tensor.values.size());
  }
  return count;
}

// Of each value, how often it is read: an output once more.
std::vector<std::uint32_t> reads_of(const Graph& graph, const std::vector<NodeId>& order) {
  std::vector<std::uint32_t> reads(graph.id_limit());
  for (NodeId node : order) {
    for (NodeId operand : graph.operands(node)) {
      if (operand != kNoNode) {
        ++reads[operand];
      }
    }
  }
  for (const GraphOutput& output : graph.outputs()) {
    ++reads[output.node];
  }
  return reads;
}

}  // namespace

ExactEvaluator::ExactEvaluator(const Graph& graph) : graph_(graph), order_(reverse_post_order(graph)) {}

bool ExactEvaluator::converts() const {
  return std::any_of(order_.begin(), order_.end(), [&](NodeId node) {
    Type type = graph_.type(node);
    std::span<const NodeId> operands = graph_.operands(node);
    return graph_.kind(node) == NodeKind::Call && type.is_tensor() && is_float(type.dtype()) &&
           std::any_of(operands.begin(), operands.end(), [&](NodeId operand) {
             return operand != kNoNode && graph_.type(operand).is_tensor() && graph_.type(operand).dtype() != type.dtype();
           });
  });
}

Evaluated<std::vector<ExactTensor>> ExactEvaluator::run(const std::vector<ExactTensor>& inputs, const ExactLimits& limits) {
  ensure(inputs.size() == graph_.inputs().size(), "as many tensors as the graph has inputs");
  std::vector<Value> values(graph_.id_limit());
  std::vector<Extents> sizes;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    values[graph_.inputs()[i]] = {inputs[i]};
    sizes.push_back(inputs[i].extents);
  }
  if (sizes != sizes_) {
    meanings_.clear();
    sizes_ = std::move(sizes);
  }
  failing_.reset();
  std::vector<std::uint32_t> pending = reads_of(graph_, order_);
  std::int64_t held = 0;
  for (NodeId node : order_) {
    if (graph_.kind(node) == NodeKind::Input) {
      continue;
    }
    ExactLimits now = limits;
    now.elements = std::min(limits.elements, kMostHeld * limits.elements - held);
    auto value = eval_node(node, values, now);
    if (auto* failure = std::get_if<EvalFailure>(&value)) {
      return std::move(*failure);
    }
    values[node] = std::move(std::get<Value>(value));
    held += elements_of(values[node]);
    for (NodeId operand : graph_.operands(node)) {
      if (operand != kNoNode && --pending[operand] == 0) {
        held -= graph_.kind(operand) == NodeKind::Input ? 0 : elements_of(values[operand]);
        values[operand].clear();
      }
    }
  }
  std::vector<ExactTensor> outputs;
  for (const GraphOutput& output : graph_.outputs()) {
    ensure(values[output.node].size() == 1, "a graph output is one tensor");
    outputs.push_back(values[output.node][0]);
  }
  return outputs;
}

Evaluated<ExactEvaluator::Value> ExactEvaluator::eval_node(NodeId node, const std::vector<Value>& values,
                                                           const ExactLimits& limits) {
  switch (graph_.kind(node)) {
    case NodeKind::Erased:
    case NodeKind::Input: fault("only nodes that compute are evaluated");
    case NodeKind::Parameter:
    case NodeKind::Constant: {
      auto exact = exact_of(graph_.value(node));
      return exact ? Evaluated<Value>(Value{std::move(*exact)})
                   : at_node(graph_, node, EvalProblem::Undefined, "an element is NaN");
    }
    case NodeKind::Tuple: {
      Value items;
      for (NodeId operand : graph_.operands(node)) {
        if (graph_.type(operand).is_tuple()) {
          return at_node(graph_, node, EvalProblem::Undecided, "nested tuples have no exact evaluation");
        }
        items.push_back(values[operand][0]);
      }
      return items;
    }
    case NodeKind::Projection: return Value{values[graph_.operands(node)[0]][graph_.projection_index(node)]};
    case NodeKind::Call: return eval_call(node, values, limits);
  }
  fault("a node has a kind");
}

Evaluated<ExactEvaluator::Value> ExactEvaluator::eval_call(NodeId node, const std::vector<Value>& values,
                                                           const ExactLimits& limits) {
  if (op_def(graph_.op(node)).opaque) {
    return at_node(graph_, node, EvalProblem::Undecided, fmt::format("{} has no exact evaluation", op_def(graph_.op(node)).name));
  }
  auto meaning = meaning_of(node, values);
  if (auto* failure = std::get_if<EvalFailure>(&meaning)) {
    return std::move(*failure);
  }
  Value operands;
  for (NodeId operand : graph_.operands(node)) {
    if (operand != kNoNode) {
      operands.insert(operands.end(), values[operand].begin(), values[operand].end());
    }
  }
  auto results = eval_exact(*std::get<0>(meaning), operands, {}, limits);
  if (auto* failure = std::get_if<EvalFailure>(&results)) {
    return at_node(graph_, node, failure->problem, failure->message);
  }
  note_failing(node, *std::get<0>(meaning), operands, std::get<Value>(results));
  return results;
}

void ExactEvaluator::note_failing(NodeId node, const Kernel& meaning, const Value& operands, const Value& results) {
  if (failing_ || all_have_values(results)) {
    return;
  }
  // (Of an operand's element without value a quotient of floats may be the reason.)
  bool integers =
      all_have_values(operands) && std::any_of(meaning.statements.begin(), meaning.statements.end(),
                                               [](const Statement& statement) { return divides_integers(statement.value); });
  for (const ExactTensor& tensor : results) {
    for (const auto& [position, missing] : tensor.missing) {
      bool divided = missing.problem == EvalProblem::DivisionByZero && integers && is_integer(tensor.dtype);
      if (divided || missing.problem == EvalProblem::OutOfRange) {
        failing_ = at_node(graph_, node, missing.problem, missing.message);
        return;
      }
    }
  }
}

Evaluated<std::shared_ptr<const Kernel>> ExactEvaluator::meaning_of(NodeId node, const std::vector<Value>& values) {
  if (auto found = meanings_.find(node); found != meanings_.end()) {
    return found->second;
  }
  std::vector<Type> types = types_of_operands(graph_, node, values);
  auto typing = type_call(graph_.op(node), types, graph_.attributes(node), {});
  if (!typing->error.empty() || !are_concrete(typing->results)) {
    return meaning_with_values(node, types, values);
  }
  auto meaning = shared_meaning(graph_.op(node), types, graph_.attributes(node), {});
  if (meaning->outputs.empty()) {
    return meaning_with_values(node, types, values);
  }
  meanings_.emplace(node, meaning);
  return meaning;
}

// For calls whose types follow from the elements of operands (axes, target shapes).
Evaluated<std::shared_ptr<const Kernel>> ExactEvaluator::meaning_with_values(NodeId node, const std::vector<Type>& types,
                                                                             const std::vector<Value>& values) const {
  std::span<const NodeId> operands = graph_.operands(node);
  std::vector<std::optional<std::vector<Term>>> elements(operands.size());
  KnownContents known(operands.size(), nullptr);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i] != kNoNode && types[i].is_tensor()) {
      elements[i] = contents_of_exact(values[operands[i]][0]);
      known[i] = elements[i] ? &*elements[i] : nullptr;
    }
  }
  auto typing = type_call(graph_.op(node), types, graph_.attributes(node), known);
  if (!typing->error.empty()) {
    return at_node(graph_, node, EvalProblem::Undefined, fmt::format("{}: {}", op_def(graph_.op(node)).name, typing->error));
  }
  if (!are_concrete(typing->results)) {
    return at_node(graph_, node, EvalProblem::Undecided, "its size is not decided by exact elements");
  }
  auto meaning = shared_meaning(graph_.op(node), types, graph_.attributes(node), known);
  if (meaning->outputs.empty()) {
    return at_node(graph_, node, EvalProblem::Undecided,
                   fmt::format("{} has no one meaning on these operands", op_def(graph_.op(node)).name));
  }
  return meaning;
}

Evaluated<std::vector<ExactTensor>> eval_graph_exact(const Graph& graph, const std::vector<ExactTensor>& inputs,
                                                     const ExactLimits& limits) {
  return ExactEvaluator(graph).run(inputs, limits);
}

}  // namespace vouch
