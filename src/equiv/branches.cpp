#include "equiv/branches.h"

#include <unordered_map>

#include "graph/inline_if.h"
#include "graph/known_value.h"

namespace vouch {
namespace {

constexpr std::size_t kMostCalls = 256;  // one within another, that a condition is computed by
constexpr std::size_t kMostPasses = 64;  // each finds what stood in a branch of the one before

// What is computed from constants alone.
class KnownNodes {
 public:
  explicit KnownNodes(const Graph& graph) : graph_(graph) {}

  const Tensor* of(NodeId node) {
    learn(node, 0);
    return value(node);
  }

 private:
  const Tensor* value(NodeId node) const {
    auto found = known_.find(node);
    return found == known_.end() || !found->second ? nullptr : &*found->second;
  }

  void learn(NodeId node, std::size_t depth) {
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

  const Graph& graph_;
  std::unordered_map<NodeId, std::optional<Tensor>> known_;
  GraphEvaluator evaluator_;
};

}  // namespace

void take_known_branches(Graph& graph) {
  for (std::size_t pass = 0; pass < kMostPasses; ++pass) {
    KnownNodes known(graph);
    std::size_t taken = inline_ifs(graph, [&](NodeId condition) {
      const Tensor* value = known.of(condition);
      return value != nullptr && value->count() == 1 ? std::optional(value->int_at(0) != 0) : std::nullopt;
    });
    if (taken == 0) {
      return;
    }
  }
}

}  // namespace vouch
