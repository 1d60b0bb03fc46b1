#include "equiv/locate.h"

#include <algorithm>
#include <cmath>

#include "equiv/widen.h"

namespace vouch {
namespace {

constexpr std::size_t kMostPartners = 4;  // that are looked at
constexpr double kNoise = 1e-12;          // of the norm

class Locator {
 public:
  Locator(const EquivResult& result, const Candidates& candidates, const Sweep& sweep)
      : pair_(*result.pair), graph_(pair_.graph), simulation_(result.simulation), candidates_(candidates), sweep_(sweep) {}

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
      // One of several results has the name of the call.
      NodeId call = graph_.kind(node) == NodeKind::Projection ? graph_.operands(node)[0] : node;
      auto other = of_a.find(pair_.names[call]);
      if (graph_.kind(call) != NodeKind::Call || other == of_a.end() || !graph_.type(node).is_tensor()) {
        continue;
      }
      NodeId namesake = call == node ? other->second : result_of(other->second, graph_.projection_index(node));
      if (namesake == kNoNode || (by_form ? has_other_form(namesake, node) : !alike(namesake, node))) {
        return call;
      }
    }
    return kNoNode;
  }

 private:
  // Nothing if the call has no such result that is read, or one alone.
  NodeId result_of(NodeId call, std::size_t index) const {
    auto uses = graph_.uses(call);
    auto found = std::find_if(uses.begin(), uses.end(), [&](const Use& use) {
      return graph_.kind(use.user) == NodeKind::Projection && graph_.projection_index(use.user) == index;
    });
    return found == uses.end() ? kNoNode : found->user;
  }

  void find_partners() {
    fine_.assign(graph_.id_limit(), true);
    for (NodeId node = static_cast<NodeId>(graph_.id_limit()); node-- > pair_.first_of_b;) {
      bool is_tensor = graph_.type(node).is_tensor();
      if (graph_.has_value(node) || (is_tensor && (sweep_.is_known(node) || has_partner(node)))) {
        continue;
      }
      auto uses = graph_.uses(node);
      fine_[node] = graph_.output_count(node) == 0 &&
                    std::all_of(uses.begin(), uses.end(), [&](const Use& use) { return fine_[use.user]; });
    }
  }

  bool has_partner(NodeId node) const {
    auto partners = candidates_.of(node, kMostPartners);
    return std::any_of(partners.begin(), partners.end(), [&](NodeId partner) { return alike(partner, node); });
  }

  // As far as folded parameters can tell, where that was measured.
  bool alike(NodeId a, NodeId b) const {
    if (!candidates_.alike(a, b) || simulation_.changed.empty()) {
      return candidates_.alike(a, b);
    }
    const Fingerprint& x = simulation_.rounds.back().prints[a];
    const Fingerprint& y = simulation_.rounds.back().prints[b];
    double slack = 10 * (moved(x, simulation_.changed[a]) + moved(y, simulation_.changed[b])) + kNoise * (x.norm + y.norm);
    return std::abs(x.first - y.first) <= slack && std::abs(x.second - y.second) <= slack;
  }

  static double moved(const Fingerprint& before, const Fingerprint& after) {
    return std::abs(before.first - after.first) + std::abs(before.second - after.second) + std::abs(before.norm - after.norm);
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
  const Simulation& simulation_;
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
  Locator locator(result, candidates, sweep);
  bool refused = !result.simulation.divergence->failure.empty();
  NodeId ill_typed = refused ? first_ill_typed(*result.pair, result.simulation.witness) : kNoNode;
  result.first_differing = ill_typed != kNoNode ? ill_typed : locator.without_partner();
  result.first_differing_name = locator.unlike_its_namesake(ill_typed != kNoNode);
}

}  // namespace vouch
