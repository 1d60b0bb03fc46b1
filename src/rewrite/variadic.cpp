// Variadic patterns: the items of a tuple (PM-Variadic) and the branches of an output (section 4.3.2). Each item or branch is a
// fresh instance of the templates, in a frame of its own.
#include "rewrite/machine.h"

namespace vouch {

std::uint32_t MatchMachine::open_list(PatternId variadic, std::uint32_t frame) {
  if (match_.instances.size() == list_count_) {
    match_.instances.emplace_back();
  }
  auto list = static_cast<std::uint32_t>(list_count_++);
  match_.instances[list].clear();
  *list_slot(variadic, frame) = list;
  trail_.push_back({TrailKind::List, false, variadic, kNoNode, frame});
  return list;
}

std::uint32_t MatchMachine::open_frame(PatternId variadic, std::uint32_t outer) {
  std::vector<std::uint32_t>& instances = match_.instances[*list_slot(variadic, outer)];
  auto frame = static_cast<std::uint32_t>(match_.frames.size());
  auto cell = static_cast<std::uint32_t>(match_.cells.size());
  match_.frames.push_back({variadic, outer, static_cast<std::uint32_t>(instances.size()), cell});
  match_.cells.resize(cell + rule_->pattern(variadic).templates.size());
  instances.push_back(frame);
  trail_.push_back({TrailKind::Frame, false, variadic, kNoNode, outer});
  return frame;
}

bool MatchMachine::step_field(const Goal& goal) {
  const Pattern& p = rule_->pattern(goal.pattern);
  std::span<const NodeId> items = graph_.operands(goal.node);
  if (goal.at == items.size()) {
    return true;
  }
  std::uint32_t frame = open_frame(goal.pattern, goal.frame);
  Goal next = goal;
  ++next.at;
  push(next);
  bool named = goal.at == 0 && !p.first.empty();
  if (named) {
    Goal bind_first = goal;
    bind_first.kind = GoalKind::BindFirst;
    bind_first.frame = frame;
    push(bind_first);
  }
  Goal item;
  item.pattern = named ? p.first[0] : p.operands[0];
  item.node = items[goal.at];
  item.frame = named ? goal.frame : frame;
  push(item);
  return true;
}

bool MatchMachine::step_bind_first(const Goal& goal) {
  const Pattern& p = rule_->pattern(goal.pattern);
  const Match::Frame frame = match_.frames[goal.frame];
  for (std::size_t k = 0; k < p.first.size() && k < p.templates.size(); ++k) {
    if (p.first[k] == kNone) {
      continue;
    }
    NodeId node = *slot(p.first[k], frame.outer);
    if (node == kNoNode) {
      return fail(Why::Absent, p.first[k], node);
    }
    Match::Cell& cell = match_.cells[frame.first_cell + k];
    cell.node = node;
    if (rule_->pattern(p.first[k]).kind == PatternKind::Variadic) {
      cell.list = *list_slot(p.first[k], frame.outer);
    }
  }
  return true;
}

// Branches are looked for among the users of what all of them share. Each candidate is tried once over all branches, in order,
// and a branch that matches stays: n branches cost O(n).
bool MatchMachine::step_branches(const Goal& goal) {
  const std::uint32_t k = goal.pattern;
  const OutputPlan& output = plan_->outputs[k];
  const Pattern& p = rule_->pattern(output.output);
  Goal state = goal;
  if (goal.count == 0) {
    if (goal.search != kNone) {
      searches_[goal.search].completed = true;
    }
    match_.outputs.push_back(goal.node);
    trail_.push_back({TrailKind::Output, false, kNone, kNoNode, 0});
    match_.nodes[output.output] = goal.node;
    trail_.push_back({TrailKind::Alias, false, output.output, goal.node, 0});
    state.count = 1;
    state.search = open_search(k, true);
  }
  Search& search = searches_[state.search];
  if (state.at > 0) {
    drop_failed(search, state.at - 1);
  }
  for (NodeId node = candidate(search, state.at); node != kNoNode; node = candidate(search, state.at)) {
    if (is_inside(node) || !fits_head(p.operands[0], node, !explain_)) {
      continue;
    }
    std::uint32_t rest = goals_head_;
    state.level = static_cast<std::uint32_t>(choices_.size());
    push(state);
    push_choice();
    goals_head_ = rest;
    search.completed = false;
    conflicted_ = false;
    state.kind = GoalKind::BranchDone;
    state.node = node;
    push(state);
    Goal branch;
    branch.pattern = p.operands[0];
    branch.node = node;
    branch.frame = open_frame(output.output, 0);
    push(branch);
    return true;
  }
  if (state.count < p.min_length) {
    return fail(Why::NoOutput, output.output, match_.outputs.back());
  }
  state.kind = GoalKind::Arrived;
  state.at = k;
  state.search = kNone;
  push(state);
  return true;
}

bool MatchMachine::step_branch_done(const Goal& goal) {
  choices_.resize(goal.level);
  searches_[goal.search].completed = true;
  match_.outputs.push_back(goal.node);
  trail_.push_back({TrailKind::Output, false, kNone, kNoNode, 0});
  Goal next = goal;
  next.kind = GoalKind::Branches;
  ++next.count;
  push(next);
  return true;
}

}  // namespace vouch
