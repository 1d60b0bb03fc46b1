#include "graph/eval.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/eval_call.h"
#include "graph/order.h"
#include "support/fault.h"
#include "term/eval.h"
#include "term/print.h"

namespace vouch {
namespace {

// Gives each size its value and checks what the sizes must satisfy.
class InputVerifier {
 public:
  InputVerifier(const Graph& graph, Diagnostics& diagnostics) : graph_(graph), diagnostics_(diagnostics) {}

  bool run(const std::vector<Tensor>& inputs) {
    if (inputs.size() != graph_.inputs().size()) {
      diagnostics_.error_at("inputs", fmt::format("expected {} tensors, found {}", graph_.inputs().size(), inputs.size()));
      return false;
    }
    bool fit = true;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      fit &= bind(graph_.inputs()[i], inputs[i]);
    }
    return fit && conditions_hold();
  }

 private:
  bool error(NodeId input, const std::string& message) {
    diagnostics_.error_at(fmt::format("input '{}'", graph_.name(input)), message);
    return false;
  }

  bool bind(NodeId input, const Tensor& tensor) {
    Type type = graph_.type(input);
    if (!type.is_tensor()) {
      return error(input, fmt::format("it is of type {}, which cannot be evaluated", type.text()));
    }
    if (tensor.dtype() != type.dtype() || tensor.rank() != type.rank()) {
      return error(input,
                   fmt::format("expected {}, found {}", type.text(), Type::tensor(tensor.dtype(), tensor.extents()).text()));
    }
    bool fit = true;
    for (std::size_t axis = 0; axis < tensor.rank(); ++axis) {
      fit &= bind_size(input, axis, type.extents()[axis], tensor.extents()[axis]);
    }
    return fit;
  }

  bool bind_size(NodeId input, std::size_t axis, Term declared, std::int64_t found) {
    if (declared.kind() == TermKind::IntVar) {
      sizes_.integers.emplace(declared->symbol, found);
    }
    auto expected = eval_int(declared, sizes_);
    const Integer* value = std::get_if<Integer>(&expected);
    if (!value || *value == found) {
      return true;  // a size made from others that come later is left to the calls
    }
    std::string named = is_const(declared) ? std::string() : fmt::format(" ({})", print_term(declared));
    return error(input, fmt::format("axis {}: expected size {}{}, found {}", axis, value->str(), named, found));
  }

  // Sizes that only data determines have no value here: the calls check those themselves.
  bool conditions_hold() {
    for (const OpContext::Condition& condition : graph_.conditions()) {
      auto holds = eval_guard(condition.guard, sizes_);
      if (const bool* known = std::get_if<bool>(&holds); known && !*known) {
        diagnostics_.error_at(
            "inputs", fmt::format("{}: {} does not hold for these sizes", condition.message, print_term(condition.guard)));
        return false;
      }
    }
    return true;
  }

  const Graph& graph_;
  Diagnostics& diagnostics_;
  EvalEnvironment sizes_;
};

// One evaluation of one graph.
class Walk {
 public:
  Walk(CallEvaluator& calls, const RunOptions& options, const Graph& graph, Diagnostics& diagnostics)
      : calls_(calls),
        options_(options),
        graph_(graph),
        diagnostics_(diagnostics),
        values_(graph.id_limit()),
        pending_(graph.id_limit()) {}

  std::optional<std::vector<Tensor>> run(std::vector<Tensor> inputs) {
    std::vector<NodeId> order = reverse_post_order(graph_);
    count_reads(order);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      values_[graph_.inputs()[i]].items = {std::move(inputs[i])};
    }
    for (std::size_t done = 0; done < order.size(); ++done) {
      if (options_.progress) {
        options_.progress(done, order.size(), graph_.name(order[done]));
      }
      if (!eval_node(order[done])) {
        return std::nullopt;
      }
    }
    std::vector<Tensor> outputs;
    for (const GraphOutput& output : graph_.outputs()) {
      const std::vector<Tensor>& items = values_[output.node].items;
      ensure(items.size() == 1, "a graph output is one tensor");
      outputs.push_back(items[0]);
    }
    return outputs;
  }

 private:
  void count_reads(const std::vector<NodeId>& order) {
    for (NodeId node : order) {
      for (NodeId operand : graph_.operands(node)) {
        if (operand != kNoNode) {
          ++pending_[operand];
        }
      }
    }
    for (const GraphOutput& output : graph_.outputs()) {
      ++pending_[output.node];
    }
  }

  bool eval_node(NodeId node) {
    if (!compute(node)) {
      return false;
    }
    if (options_.observe) {
      options_.observe(node, values_[node]);
    }
    if (graph_.kind(node) >= NodeKind::Call) {
      release_operands(node);
    }
    return true;
  }

  bool compute(NodeId node) {
    EvalValue& value = values_[node];
    switch (graph_.kind(node)) {
      case NodeKind::Erased: fault("an erased node is evaluated");
      case NodeKind::Input: return true;
      case NodeKind::Parameter:
      case NodeKind::Constant: value.items = {graph_.value(node)}; return true;
      case NodeKind::Tuple:
        value.is_tuple = true;
        for (NodeId operand : graph_.operands(node)) {
          const EvalValue& item = values_[operand];
          value.items.insert(value.items.end(), item.items.begin(), item.items.end());
          value.nested = item.is_tuple ? item.items.size() : 0;
        }
        return true;
      case NodeKind::Projection:
        value.items = {values_[graph_.operands(node)[0]].items[graph_.projection_index(node)]};
        return true;
      case NodeKind::Call: return eval_call(node);
    }
    return true;
  }

  bool eval_call(NodeId node) {
    std::vector<EvalValue> operands;
    for (NodeId operand : graph_.operands(node)) {
      operands.push_back(operand == kNoNode ? EvalValue() : values_[operand]);
    }
    auto results = calls_.call(graph_.op(node), operands, graph_.attributes(node), fmt::format("node '{}'", graph_.name(node)),
                               diagnostics_);
    if (!results) {
      return false;
    }
    values_[node] = {graph_.type(node).is_tuple(), std::move(*results)};
    return true;
  }

  void release_operands(NodeId node) {
    for (NodeId operand : graph_.operands(node)) {
      if (operand != kNoNode && --pending_[operand] == 0) {
        values_[operand].items.clear();
      }
    }
  }

  CallEvaluator& calls_;
  const RunOptions& options_;
  const Graph& graph_;
  Diagnostics& diagnostics_;
  std::vector<EvalValue> values_;
  std::vector<std::uint32_t> pending_;  // reads that are still to come
};

}  // namespace

bool verify_inputs(const Graph& graph, const std::vector<Tensor>& inputs, Diagnostics& diagnostics) {
  return InputVerifier(graph, diagnostics).run(inputs);
}

class GraphEvaluator::Calls : public CallEvaluator {
 public:
  Calls(GraphEvaluator& owner, const RunOptions& options) : CallEvaluator(options), owner_(owner) {}

  std::optional<std::vector<Tensor>> run_nested(const Graph& graph, std::vector<Tensor> inputs,
                                                Diagnostics& diagnostics) override {
    return owner_.run(graph, std::move(inputs), diagnostics);
  }

 private:
  GraphEvaluator& owner_;
};

GraphEvaluator::GraphEvaluator(RunOptions options)
    : calls_(std::make_unique<Calls>(*this, options)), options_(std::move(options)) {}

GraphEvaluator::~GraphEvaluator() = default;

std::optional<std::vector<Tensor>> GraphEvaluator::run(const Graph& graph, std::vector<Tensor> inputs, Diagnostics& diagnostics) {
  if (!verify_inputs(graph, inputs, diagnostics)) {
    return std::nullopt;
  }
  // Nested graphs run silently: progress is that of the outermost.
  RunOptions options = options_;
  options_.progress = nullptr;
  options_.observe = nullptr;
  auto outputs = Walk(*calls_, options, graph, diagnostics).run(std::move(inputs));
  options_.progress = std::move(options.progress);
  options_.observe = std::move(options.observe);
  return outputs;
}

std::optional<std::vector<Tensor>> GraphEvaluator::call(OpId op, const std::vector<EvalValue>& operands, AttrDict attributes,
                                                        const std::string& place, Diagnostics& diagnostics) {
  return calls_->call(op, operands, attributes, place, diagnostics);
}

std::optional<std::vector<Tensor>> eval_graph(const Graph& graph, std::vector<Tensor> inputs, Diagnostics& diagnostics,
                                              RunOptions options) {
  return GraphEvaluator(std::move(options)).run(graph, std::move(inputs), diagnostics);
}

}  // namespace vouch
