#include "rewrite/fold.h"

#include "graph/eval.h"
#include "graph/order.h"

namespace vouch {
namespace {

class Folder {
 public:
  Folder(Graph& graph, const FoldOptions& options) : graph_(graph), options_(options) {}

  std::size_t run() {
    for (NodeId node : reverse_post_order(graph_)) {
      if (graph_.kind(node) == NodeKind::Call && graph_.type(node).is_tensor() && !op_def(graph_.op(node)).opaque) {
        folded_ += fold(node);
      }
    }
    return folded_;
  }

 private:
  // Adds the operand's tensors; false if it is no value.
  bool add_operand(NodeId operand, std::vector<EvalValue>& values, std::int64_t& elements) {
    EvalValue value;
    if (operand != kNoNode && graph_.has_value(operand)) {
      value.items.push_back(graph_.value(operand));
    } else if (operand != kNoNode && graph_.kind(operand) == NodeKind::Tuple) {
      value.is_tuple = true;
      for (NodeId item : graph_.operands(operand)) {
        if (!graph_.has_value(item)) {
          return false;
        }
        value.items.push_back(graph_.value(item));
      }
    } else if (operand != kNoNode) {
      return false;
    }
    for (const Tensor& tensor : value.items) {
      elements += tensor.count();
    }
    values.push_back(std::move(value));
    return true;
  }

  // Sizes are known as terms, and what is computed of them: where no term is left open the call is a constant.
  bool fold_contents(NodeId node) {
    const std::vector<Term>* known = graph_.contents(node);
    auto extents = graph_.type(node).concrete_extents();
    if (known == nullptr || !extents || is_float(graph_.type(node).dtype())) {
      return false;
    }
    Tensor value(graph_.type(node).dtype(), *extents);
    for (std::size_t k = 0; k < known->size(); ++k) {
      auto number = const_int((*known)[k]);
      if (!number) {
        return false;
      }
      value.set_int(static_cast<std::int64_t>(k), *number);
    }
    become(node, std::move(value));
    return true;
  }

  void become(NodeId node, Tensor value) {
    std::string name = graph_.name(node);
    NodeId constant = graph_.add_parameter(name + "_folded", std::move(value));
    graph_.replace_uses(node, constant);
    graph_.erase_dead(node);
  }

  bool fold(NodeId node) {
    if (fold_contents(node)) {
      return true;
    }
    std::vector<EvalValue> operands;
    std::int64_t elements = 0;
    for (NodeId operand : graph_.operands(node)) {
      if (!add_operand(operand, operands, elements)) {
        return false;
      }
    }
    auto extents = graph_.type(node).concrete_extents();
    auto count = extents ? element_count(*extents) : std::nullopt;
    if (!count || *count > elements + options_.most_growth) {
      return false;
    }
    Diagnostics diagnostics;
    auto results = evaluator_.call(graph_.op(node), operands, graph_.attributes(node), graph_.name(node), diagnostics);
    if (!results || results->size() != 1) {
      return false;
    }
    become(node, std::move(results->front()));
    return true;
  }

  Graph& graph_;
  FoldOptions options_;
  GraphEvaluator evaluator_;
  std::size_t folded_ = 0;
};

}  // namespace

std::size_t fold_parameters(Graph& graph, const FoldOptions& options) { return Folder(graph, options).run(); }

}  // namespace vouch
