// Matching a rule with roles of axes: for each role a number of axes, the first ones for which the rule matches.
#include "rule/axes.h"

#include <algorithm>

#include "rewrite/machine.h"

namespace vouch {

// The ranks of what the patterns meet leave few numbers to try: the first attempt finds them, since a tensor is met before what
// speaks of its axes.
bool MatchMachine::run_by_axes(const RulePlan& plan, NodeId first_output) {
  constexpr std::size_t kMostAttempts = 1024;
  ranks_seen_.assign(plan.rule->layouts.size(), {});
  std::vector<std::uint32_t> most(plan.rule->layouts.size(), kMaxRank);
  std::size_t attempts = 0;
  bool matched = false;
  MatchFailure best;
  std::vector<NodeId> best_nodes;
  for_each_axis_numbers(*plan.rule, most, [&](const AxisNumbers& numbers) {
    if (!has_seen_ranks(*plan.rule, numbers)) {
      return true;
    }
    match_.axis_numbers = numbers;
    matched = attempt(plan, first_output);
    if (explain_ && (attempts == 0 || best_.matched > best.matched)) {
      best = best_;
      best_nodes = best_nodes_;
    }
    bool met = std::any_of(ranks_seen_.begin(), ranks_seen_.end(), [](const auto& ranks) { return !ranks.empty(); });
    return !matched && met && ++attempts < kMostAttempts;
  });
  if (explain_ && !matched) {
    best_ = std::move(best);
    best_nodes_ = std::move(best_nodes);
  }
  return matched;
}

bool MatchMachine::has_seen_ranks(const Rule& rule, const AxisNumbers& numbers) const {
  for (std::size_t k = 0; k < ranks_seen_.size(); ++k) {
    const std::vector<std::uint32_t>& seen = ranks_seen_[k];
    if (!seen.empty() && std::find(seen.begin(), seen.end(), axes_together(rule.layouts[k], numbers)) == seen.end()) {
      return false;
    }
  }
  return true;
}

bool MatchMachine::step_layout(const Goal& goal) {
  const AxisLayout* layout = layout_of(*rule_, goal.pattern);
  if (layout == nullptr) {
    return true;
  }
  Type type = graph_.type(goal.node);
  std::vector<std::uint32_t>& seen = ranks_seen_[static_cast<std::size_t>(layout - rule_->layouts.data())];
  std::uint32_t rank = type.is_tensor() ? static_cast<std::uint32_t>(type.rank()) : kMaxRank + 1;
  if (std::find(seen.begin(), seen.end(), rank) == seen.end()) {
    seen.push_back(rank);
  }
  return rank == axes_together(*layout, match_.axis_numbers) || fail(Why::Axes, goal.pattern, goal.node, layout->condition);
}

}  // namespace vouch
