#include "rewrite/unfold.h"

#include <cmath>
#include <optional>
#include <vector>

#include "graph/eval.h"
#include "graph/order.h"

namespace vouch {
namespace {

class Unfolder {
 public:
  explicit Unfolder(Graph& graph) : graph_(graph) {}

  std::size_t run() {
    std::size_t unfolded = 0;
    for (NodeId node : reverse_post_order(graph_)) {
      if (is_candidate(node)) {
        unfolded += unfold(node) ? 1 : 0;
      }
    }
    return unfolded;
  }

 private:
  bool is_candidate(NodeId node) const {
    return graph_.has_value(node) && graph_.value(node).count() == 1 && is_float(graph_.value(node).dtype()) &&
           graph_.output_count(node) == 0;
  }

  bool unfold(NodeId node) {
    constexpr double kMost = 64;
    const double value = graph_.value(node).double_at(0);
    const double square = value * value;
    if (!(value > 0) || std::nearbyint(value) == value || std::nearbyint(1 / value) * value == 1) {
      return false;
    }
    double radicand = std::nearbyint(value > 1 ? square : 1 / square);
    return radicand > 1 && radicand <= kMost && replace(node, radicand, value > 1);
  }

  // By the root or its reciprocal, only if this, evaluated as folding evaluates it, is this very constant.
  bool replace(NodeId node, double radicand, bool above) {
    const Tensor& constant = graph_.value(node);
    Tensor under(constant.dtype(), constant.extents());
    under.set_double(0, radicand);
    auto root = evaluated(sqrt_, under);
    auto found = root && !above ? evaluated(reciprocal_, *root) : root;
    if (!found || !(*found == constant)) {
      return false;
    }
    Graph::Mark before = graph_.mark();
    NodeId made = call(sqrt_, graph_.add_constant(std::move(under)));
    made = made != kNoNode && !above ? call(reciprocal_, made) : made;
    if (made == kNoNode || graph_.type(made) != graph_.type(node)) {
      graph_.revert(before);
      return false;
    }
    graph_.replace_uses(node, made);
    graph_.erase_dead(node);
    return true;
  }

  std::optional<Tensor> evaluated(OpId op, const Tensor& operand) {
    Diagnostics failed;
    auto results = evaluator_.call(op, {EvalValue{false, {operand}}}, {}, "a root", failed);
    return results && results->size() == 1 ? std::optional((*results)[0]) : std::nullopt;
  }

  NodeId call(OpId op, NodeId operand) {
    Diagnostics failed;
    return graph_.add_call(op, std::vector<NodeId>{operand}, {}, failed);
  }

  Graph& graph_;
  GraphEvaluator evaluator_;
  OpId sqrt_ = *find_op("Sqrt");
  OpId reciprocal_ = *find_op("Reciprocal");
};

}  // namespace

std::size_t unfold_roots(Graph& graph) { return Unfolder(graph).run(); }

}  // namespace vouch
