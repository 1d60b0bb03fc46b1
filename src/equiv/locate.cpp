#include "equiv/locate.h"

#include <algorithm>

#include "equiv/widen.h"

namespace vouch {
namespace {

class Locator {
 public:
  Locator(const ModelPair& pair, const Candidates& candidates, const Sweep& sweep)
      : pair_(pair), graph_(pair.graph), candidates_(candidates), sweep_(sweep) {}

  // The first tensor of the second model that no tensor of the first is like, though what it is computed from is. One whose users
  // all are, at last, is another way to the same; it is not where the models part.
  NodeId without_partner() {
    find_partners();
    for (NodeId node = pair_.first_of_b; node < graph_.id_limit(); ++node) {
      if (!fine_[node] && graph_.type(node).is_tensor() && are_operands_fine(node)) {
        return node;
      }
    }
    return kNoNode;
  }

  // The first that has another value than its namesake; another form, where the models could not be run.
  NodeId unlike_its_namesake(bool by_form) const {
    std::map<std::string, NodeId> of_a;
    for (NodeId node = 0; node < pair_.first_of_b; ++node) {
      if (graph_.kind(node) == NodeKind::Call) {
        of_a.emplace(pair_.names[node], node);
      }
    }
    for (NodeId node = pair_.first_of_b; node < graph_.id_limit(); ++node) {
      auto other = of_a.find(pair_.names[node]);
      if (graph_.kind(node) != NodeKind::Call || other == of_a.end() || !graph_.type(node).is_tensor()) {
        continue;
      }
      bool differs = by_form ? has_other_form(other->second, node) : !candidates_.alike(other->second, node);
      if (differs) {
        return node;
      }
    }
    return kNoNode;
  }

 private:
  void find_partners() {
    fine_.assign(graph_.id_limit(), true);
    for (NodeId node = static_cast<NodeId>(graph_.id_limit()); node-- > pair_.first_of_b;) {
      bool is_tensor = graph_.type(node).is_tensor();
      if (graph_.has_value(node) || (is_tensor && (sweep_.is_known(node) || !candidates_.of(node, 1).empty()))) {
        continue;
      }
      auto uses = graph_.uses(node);
      fine_[node] = graph_.output_count(node) == 0 &&
                    std::all_of(uses.begin(), uses.end(), [&](const Use& use) { return fine_[use.user]; });
    }
  }

  // In type, or in integers that shape arithmetic knows.
  bool has_other_form(NodeId a, NodeId b) const {
    const std::vector<Term>* x = graph_.contents(a);
    const std::vector<Term>* y = graph_.contents(b);
    return graph_.type(a) != graph_.type(b) || (x != nullptr && y != nullptr && *x != *y);
  }

  // A call of several results is what these are computed by: its own operands count.
  bool are_operands_fine(NodeId node) const {
    auto operands = graph_.operands(node);
    return std::all_of(operands.begin(), operands.end(), [&](NodeId operand) {
      return operand == kNoNode || (graph_.type(operand).is_tensor() ? fine_[operand] : are_operands_fine(operand));
    });
  }

  const ModelPair& pair_;
  const Graph& graph_;
  const Candidates& candidates_;
  const Sweep& sweep_;
  std::vector<bool> fine_;
};

// The first call of the second model that is ill-typed at the sizes of these inputs.
NodeId first_ill_typed(const ModelPair& pair, const std::vector<Tensor>& inputs) {
  std::vector<Type> types;
  std::transform(inputs.begin(), inputs.end(), std::back_inserter(types),
                 [](const Tensor& input) { return Type::tensor(input.dtype(), input.extents()); });
  NodeId end = static_cast<NodeId>(prefix(pair.graph, static_cast<NodeId>(pair.graph.id_limit()), types).id_limit());
  return end < pair.graph.id_limit() ? end : kNoNode;
}

}  // namespace

void locate_difference(EquivResult& result, const Candidates& candidates, const Sweep& sweep) {
  Locator locator(*result.pair, candidates, sweep);
  bool refused = !result.simulation.divergence->failure.empty();
  NodeId ill_typed = refused ? first_ill_typed(*result.pair, result.simulation.witness) : kNoNode;
  result.first_differing = ill_typed != kNoNode ? ill_typed : locator.without_partner();
  result.first_differing_name = locator.unlike_its_namesake(ill_typed != kNoNode);
}

}  // namespace vouch
