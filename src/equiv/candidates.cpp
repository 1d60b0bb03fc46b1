#include "equiv/candidates.h"

#include <algorithm>
#include <cmath>

namespace vouch {

// Parameters that were folded in float32 are off by 1e-7. Of what was rounded to few steps, some elements are a step off then.
double Candidates::tolerance(DType type) const {
  bool steps = is_integer(type) && byte_size(type) <= 2;
  return steps ? 1e-2 : std::max(1e-5, 10 * folds_.of(type));
}

Candidates::Candidates(const ModelPair& pair, const Simulation& simulation, FoldTolerance folds)
    : pair_(pair), simulation_(simulation), folds_(folds) {
  if (simulation.rounds.empty()) {
    return;
  }
  const Round& round = simulation.rounds.front();
  for (NodeId node = 0; node < pair.first_of_b; ++node) {
    if (pair.graph.is_live(node) && pair.graph.type(node).is_tensor() && node < round.prints.size()) {
      const Fingerprint& print = round.prints[node];
      sorted_[{pair.graph.type(node).dtype(), print.extents}].emplace_back(print.first, node);
    }
  }
  for (auto& [form, nodes] : sorted_) {
    std::sort(nodes.begin(), nodes.end());
  }
}

bool Candidates::alike(NodeId a, NodeId b) const {
  const double slack = pair_.graph.type(a).is_tensor() ? tolerance(pair_.graph.type(a).dtype()) : 0;
  return !simulation_.rounds.empty() && pair_.graph.type(a).is_tensor() && pair_.graph.type(b).is_tensor() &&
         pair_.graph.type(a).dtype() == pair_.graph.type(b).dtype() &&
         std::all_of(simulation_.rounds.begin(), simulation_.rounds.end(),
                     [&](const Round& round) { return vouch::alike(round.prints[a], round.prints[b], slack); });
}

bool Candidates::is_uniform(NodeId node) const {
  return std::all_of(simulation_.rounds.begin(), simulation_.rounds.end(),
                     [&](const Round& round) { return round.prints[node].uniform; });
}

std::vector<NodeId> Candidates::of(NodeId node, std::size_t most) const {
  std::vector<NodeId> out;
  if (simulation_.rounds.empty() || !pair_.graph.type(node).is_tensor()) {
    return out;
  }
  const Fingerprint& print = simulation_.rounds.front().prints[node];
  auto form = sorted_.find({pair_.graph.type(node).dtype(), print.extents});
  if (form == sorted_.end()) {
    return out;
  }
  double slack = 2 * tolerance(pair_.graph.type(node).dtype()) * print.norm;
  auto at = std::lower_bound(form->second.begin(), form->second.end(), std::pair(print.first - slack, NodeId{0}));
  for (; at != form->second.end() && at->first <= print.first + slack; ++at) {
    if (alike(at->second, node)) {
      out.push_back(at->second);
    }
  }
  // A namesake first, then the same operator, then the last of the first model.
  auto rank = [&](NodeId other) {
    bool named = pair_.names[other] == pair_.names[node];
    bool both = pair_.graph.kind(other) == NodeKind::Call && pair_.graph.kind(node) == NodeKind::Call;
    bool same_op = both && pair_.graph.op(other) == pair_.graph.op(node);
    return std::tuple(named ? 0 : 1, same_op ? 0 : 1, -static_cast<std::int64_t>(other));
  };
  std::stable_sort(out.begin(), out.end(), [&](NodeId x, NodeId y) { return rank(x) < rank(y); });
  out.resize(std::min(out.size(), most));
  return out;
}

}  // namespace vouch
