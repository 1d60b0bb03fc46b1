#include "graph/inline_if.h"

#include <vector>

#include "graph/copy_graph.h"
#include "graph/order.h"

namespace vouch {
namespace {

class Inliner {
 public:
  Inliner(Graph& graph, NodeId conditional) : graph_(graph), conditional_(conditional) {}

  // False: the graph is as it was.
  bool run(std::optional<bool> holds) {
    const Graph* branch = holds ? taken(*holds) : nullptr;
    Graph::Mark before = graph_.mark();
    if (branch == nullptr) {
      return false;
    }
    if (!copy(*branch) || !fits()) {
      graph_.revert(before);
      return false;
    }
    // By copy: each replacement changes the list of uses.
    std::vector<Use> uses(graph_.uses(conditional_).begin(), graph_.uses(conditional_).end());
    for (const Use& use : uses) {
      graph_.replace_uses(use.user, results_[graph_.projection_index(use.user)]);
      graph_.erase_dead(use.user);
    }
    return true;
  }

 private:
  const Graph* taken(bool holds) const {
    if (graph_.output_count(conditional_) != 0) {
      return nullptr;
    }
    for (const Use& use : graph_.uses(conditional_)) {
      if (graph_.kind(use.user) != NodeKind::Projection) {
        return nullptr;
      }
    }
    const char* name = holds ? "then_branch" : "else_branch";
    const AttrValue* attribute = graph_.attributes(conditional_).find(Symbol(name));
    return attribute != nullptr ? attribute->graph() : nullptr;
  }

  bool copy(const Graph& branch) {
    std::span<const NodeId> operands = graph_.operands(conditional_);
    std::vector<NodeId> captured;
    if (operands.size() > 1 && operands[1] != kNoNode) {
      captured.assign(graph_.operands(operands[1]).begin(), graph_.operands(operands[1]).end());
    }
    // A call that does not fit the captured values stays where it is.
    Diagnostics unfit;
    auto add = [&](OpId op, const std::vector<NodeId>& items, AttrDict attributes) {
      return graph_.add_call(op, items, attributes, unfit);
    };
    constexpr bool kNamed = true;
    auto copies = copy_graph(graph_, branch, captured, add, kNamed);
    results_ = copies ? std::move(*copies) : std::vector<NodeId>();
    return copies.has_value();
  }

  bool fits() const {
    for (const Use& use : graph_.uses(conditional_)) {
      std::uint32_t k = graph_.projection_index(use.user);
      if (k >= results_.size() || graph_.type(results_[k]) != graph_.type(use.user)) {
        return false;
      }
    }
    return true;
  }

  Graph& graph_;
  NodeId conditional_;
  std::vector<NodeId> results_;  // of the branch, here
};

}  // namespace

std::size_t inline_ifs(Graph& graph, const std::function<std::optional<bool>(NodeId)>& holds) {
  auto conditional = find_op("If");
  std::size_t inlined = 0;
  for (NodeId node : reverse_post_order(graph)) {
    if (graph.is_live(node) && graph.kind(node) == NodeKind::Call && graph.op(node) == conditional) {
      inlined += Inliner(graph, node).run(holds(graph.operands(node)[0])) ? 1 : 0;
    }
  }
  return inlined;
}

std::size_t inline_constant_ifs(Graph& graph) {
  return inline_ifs(graph, [&](NodeId condition) {
    bool known = graph.has_value(condition) && graph.value(condition).count() == 1;
    return known ? std::optional(graph.value(condition).int_at(0) != 0) : std::nullopt;
  });
}

}  // namespace vouch
