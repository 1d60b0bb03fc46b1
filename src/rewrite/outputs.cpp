// Several outputs (alg:multi_match): forward from what is matched, in the pattern along routes to the next output, in the graph
// along users; each arrival is matched backwards.
#include <algorithm>

#include "rewrite/machine.h"

namespace vouch {
namespace {

// At nodes with more users than this, candidates are collected once for all attempts of a sweep.
constexpr std::size_t kManyUses = 64;
// Trials at one node in a sweep: beyond, an attempt tries only the first few. Without it, a pattern whose outputs depend on one
// another would cost the square of a node's users when nothing matches.
constexpr std::uint64_t kFreeTrials = 1 << 20;
constexpr std::uint64_t kTrialsPerUser = 64;
constexpr std::uint32_t kFewTrials = 64;

}  // namespace

void MatchMachine::start_output(std::uint32_t k, NodeId node, std::uint32_t search) {
  const OutputPlan& output = plan_->outputs[k];
  Goal goal;
  goal.at = k;
  goal.search = search;
  if (rule_->pattern(output.output).kind != PatternKind::Variadic) {
    goal.kind = GoalKind::Arrived;
    push(goal);
    goal.kind = GoalKind::Match;
    goal.pattern = output.sought;
    goal.node = node;
    push(goal);
    return;
  }
  open_list(output.output, 0);
  std::uint32_t frame = open_frame(output.output, 0);
  bool named = !rule_->pattern(output.output).first.empty();
  goal.kind = GoalKind::Branches;
  goal.pattern = k;
  goal.at = 0;
  goal.node = node;
  push(goal);
  if (named) {
    goal.kind = GoalKind::BindFirst;
    goal.pattern = output.output;
    goal.frame = frame;
    push(goal);
  }
  goal.kind = GoalKind::Match;
  goal.pattern = output.sought;
  goal.frame = named ? 0 : frame;
  push(goal);
}

bool MatchMachine::step_output(const Goal& goal) {
  std::uint32_t k = goal.at;
  const OutputPlan& output = plan_->outputs[k];
  // It may be a part of an earlier output.
  NodeId already = plan_->owner[output.sought] == kNone ? match_.nodes[output.sought] : kNoNode;
  if (already != kNoNode) {
    start_output(k, already, kNone);
    return true;
  }
  Goal candidates;
  candidates.kind = GoalKind::Candidates;
  candidates.pattern = k;
  candidates.search = open_search(k, false);
  push(candidates);
  return true;
}

bool MatchMachine::step_candidates(const Goal& goal) {
  Search& search = searches_[goal.search];
  if (goal.at > 0) {
    drop_failed(search, goal.at - 1);
  }
  std::uint32_t at = goal.at;
  std::uint32_t k = goal.pattern;
  for (NodeId node = candidate(search, at); node != kNoNode; node = candidate(search, at)) {
    if (is_inside(node) || !fits_head(plan_->outputs[k].sought, node, !explain_)) {
      continue;
    }
    std::uint32_t rest = goals_head_;
    Goal others = goal;
    others.at = at;
    push(others);
    push_choice();
    goals_head_ = rest;
    search.completed = false;
    conflicted_ = false;
    start_output(k, node, goal.search);
    return true;
  }
  return fail(Why::NoOutput, plan_->outputs[k].output, match_.outputs.back());
}

bool MatchMachine::step_arrived(const Goal& goal) {
  std::uint32_t k = goal.at;
  const OutputPlan& output = plan_->outputs[k];
  if (goal.search != kNone) {
    searches_[goal.search].completed = true;
  }
  if (rule_->pattern(output.output).kind != PatternKind::Variadic) {
    match_.outputs.push_back(match_.nodes[output.output]);
    trail_.push_back({TrailKind::Output, false, kNone, kNoNode, 0});
    match_.output_counts.push_back(1);
  } else {
    match_.output_counts.push_back(goal.count);
  }
  trail_.push_back({TrailKind::OutputCount, false, kNone, kNoNode, 0});
  if (!conditions_hold(k)) {
    return false;
  }
  Goal next;
  next.kind = k + 1 < plan_->outputs.size() ? GoalKind::Output : GoalKind::Finish;
  next.at = k + 1;
  push(next);
  return true;
}

std::uint32_t MatchMachine::open_search(std::uint32_t k, bool branches) {
  const OutputPlan& output = plan_->outputs[k];
  const std::vector<Route>& routes = branches ? output.branch_routes : output.routes;
  bool any_route = branches ? output.any_branch_route : output.any_route;
  Search search;
  search.context_free = branches ? output.branch_context_free : output.context_free;
  search.begin = static_cast<std::uint32_t>(candidates_.size());
  NodeId start = routes.size() == 1 ? match_.find(*plan_, routes[0].start) : kNoNode;
  if (any_route && start != kNoNode && graph_.uses(start).size() > kManyUses) {
    auto [at, is_new] = lists_.try_emplace({plan_, 2 * k + (branches ? 1U : 0U), start});
    search.kept = &at->second;
    if (is_new) {
      lists_at_[start].emplace_back(at->first, search.kept);
      collect(routes, any_route, search.kept->nodes);
    } else if (search.kept->dropped * 2 > search.kept->nodes.size()) {
      std::erase(search.kept->nodes, kNoNode);
      search.kept->dropped = 0;
      search.kept->first = 0;
    }
  } else {
    collect(routes, any_route, candidates_);
  }
  search.end = static_cast<std::uint32_t>(candidates_.size());
  searches_.push_back(search);
  return static_cast<std::uint32_t>(searches_.size() - 1);
}

void MatchMachine::collect(const std::vector<Route>& routes, bool any_route, std::vector<NodeId>& out) {
  if (!any_route) {
    for (const Route& route : routes) {
      if (NodeId start = match_.find(*plan_, route.start); start != kNoNode) {
        walk(route, start, out);
      }
    }
    return;
  }
  const Route* best = nullptr;
  NodeId from = kNoNode;
  for (const Route& route : routes) {
    NodeId start = match_.find(*plan_, route.start);
    if (start != kNoNode && (best == nullptr || graph_.uses(start).size() < graph_.uses(from).size())) {
      best = &route;
      from = start;
    }
  }
  if (best != nullptr) {
    walk(*best, from, out);
  }
}

// Every node that the route leads to from `start`, in the order of uses.
void MatchMachine::walk(const Route& route, NodeId start, std::vector<NodeId>& out) {
  walk_.assign(1, {0, start});
  while (!walk_.empty()) {
    auto [step, node] = walk_.back();
    walk_.pop_back();
    if (step == route.hops.size()) {
      out.push_back(node);
      continue;
    }
    const Hop& hop = route.hops[step];
    if (hop.same_node) {
      walk_.emplace_back(step + 1, node);
      continue;
    }
    std::span<const Use> uses = graph_.uses(node);
    NodeId last = kNoNode;
    for (std::size_t u = uses.size(); u-- > 0;) {
      NodeId user = uses[u].user;
      bool fits = (hop.any_operand || uses[u].operand == hop.operand) && user != last;
      bool explained = explain_ && step + 1 == route.hops.size();
      if (fits && (explained || fits_head(hop.pattern, user, true))) {
        walk_.emplace_back(step + 1, user);
        last = user;
      }
    }
  }
}

// The candidate at or after `at`, which moves behind it; kNoNode when there is none.
NodeId MatchMachine::candidate(Search& search, std::uint32_t& at) {
  if (search.kept == nullptr) {
    return search.begin + at < search.end ? candidates_[search.begin + at++] : kNoNode;
  }
  CandidateList& kept = *search.kept;
  bool limited = kept.trials > std::max<std::uint64_t>(kFreeTrials, kTrialsPerUser * kept.nodes.size());
  std::size_t end = limited ? std::min<std::size_t>(kept.nodes.size(), kFewTrials) : kept.nodes.size();
  while (kept.first < end && kept.nodes[kept.first] == kNoNode) {
    ++kept.first;
  }
  for (at = std::max(at, kept.first); at < end;) {
    NodeId node = kept.nodes[at++];
    if (node == kNoNode) {
      continue;
    }
    if (!graph_.is_live(node)) {
      kept.nodes[at - 1] = kNoNode;
      ++kept.dropped;
      continue;
    }
    ++kept.trials;
    return node;
  }
  return kNoNode;
}

// The candidate before `at` was tried and failed; if that had nothing to do with the rest of the match, it always will.
void MatchMachine::drop_failed(Search& search, std::uint32_t at) {
  bool depends = conflicted_ || !rule_->layouts.empty();  // on what else is matched, or on numbers of axes
  if (search.kept == nullptr || !search.context_free || search.completed || depends) {
    return;
  }
  NodeId& node = search.kept->nodes[at];
  search.kept->dropped += node != kNoNode ? 1 : 0;
  node = kNoNode;
}

void MatchMachine::note_new_node(NodeId node) {
  if (lists_at_.empty()) {
    return;
  }
  for (NodeId operand : graph_.operands(node)) {
    auto found = lists_at_.find(operand);
    if (found == lists_at_.end()) {
      continue;
    }
    for (const auto& [key, list] : found->second) {
      const OutputPlan& output = key.plan->outputs[key.output / 2];
      const Route& route = key.output % 2 != 0 ? output.branch_routes[0] : output.routes[0];
      if (route.hops.size() == 1) {
        list->nodes.push_back(node);
      }
    }
  }
}

}  // namespace vouch
