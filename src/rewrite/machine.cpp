#include "rewrite/machine.h"

#include <algorithm>

#include "support/fault.h"

namespace vouch {

void MatchMachine::reset(const RulePlan& plan) {
  undo(0);
  goals_.clear();
  goals_head_ = kNone;
  choices_.clear();
  searches_.clear();
  candidates_.clear();
  match_.inside.clear();
  plan_ = &plan;
  rule_ = plan.rule;
  attributes_.set_plan(plan);
  attributes_.set_frame(0);
  if (match_.nodes.size() < rule_->patterns.size()) {
    match_.nodes.resize(rule_->patterns.size(), kNoNode);
    match_.lists.resize(rule_->patterns.size(), kNone);
  }
  match_.operators.assign(plan.op_variables, kNoOperator);
  match_.frames.resize(1);
  match_.axis_numbers.resize(rule_->roles.size());
  if (marks_.size() < graph_.id_limit()) {
    marks_.resize(graph_.id_limit());
  }
  constexpr std::uint32_t kLastAttempt = 0x3ffffffeU;
  if (++attempt_ > kLastAttempt) {
    std::fill(marks_.begin(), marks_.end(), 0);
    attempt_ = 1;
  }
  if (explain_) {
    best_ = MatchFailure();
    best_nodes_.clear();
  }
}

bool MatchMachine::attempt(const RulePlan& plan, NodeId first_output) {
  reset(plan);
  std::optional<bool> decided;
  if (!plan.simple.empty() && !explain_) {
    decided = run_simple(first_output);
    if (decided != true) {
      undo(0);
    }
  }
  if (!decided) {
    start_output(0, first_output, kNone);
    decided = solve();
  }
  if (!*decided) {
    return false;
  }
  for (const Trail& entry : trail_) {
    if (entry.kind == TrailKind::Node && entry.inside) {
      match_.inside.push_back(entry.node);
    }
  }
  return true;
}

// Depth first over structure and attributes together, operands before attributes.
bool MatchMachine::solve() {
  while (goals_head_ != kNone) {
    const Goal goal = goals_[goals_head_];
    goals_head_ = goal.next;
    if (step(goal)) {
      continue;
    }
    if (choices_.empty()) {
      return false;
    }
    const Choice choice = choices_.back();
    choices_.pop_back();
    undo(choice.trail);
    goals_.resize(choice.goal_count);
    goals_head_ = choice.goal;
  }
  return true;
}

bool MatchMachine::step(const Goal& goal) {
  switch (goal.kind) {
    case GoalKind::Match: return step_match(goal);
    case GoalKind::Check: return step_check(goal);
    case GoalKind::Alias:
      *slot(goal.pattern, goal.frame) = goal.node;
      trail_.push_back({TrailKind::Alias, false, goal.pattern, goal.node, goal.frame});
      return true;
    case GoalKind::Field: return step_field(goal);
    case GoalKind::BindFirst: return step_bind_first(goal);
    case GoalKind::Output: return step_output(goal);
    case GoalKind::Candidates: return step_candidates(goal);
    case GoalKind::Arrived: return step_arrived(goal);
    case GoalKind::Branches: return step_branches(goal);
    case GoalKind::BranchDone: return step_branch_done(goal);
    case GoalKind::Finish: return step_finish();
  }
  return false;
}

void MatchMachine::undo(std::size_t length) {
  while (trail_.size() > length) {
    const Trail entry = trail_.back();
    trail_.pop_back();
    switch (entry.kind) {
      case TrailKind::Node:
      case TrailKind::Alias:
        *slot(entry.pattern, entry.frame) = kNoNode;
        if (entry.inside) {
          marks_[entry.node] = 0;
        }
        break;
      case TrailKind::List:
        *list_slot(entry.pattern, entry.frame) = kNone;
        match_.instances[--list_count_].clear();
        break;
      case TrailKind::Frame: {
        const Match::Frame frame = match_.frames.back();
        match_.instances[*list_slot(frame.variadic, frame.outer)].pop_back();
        match_.cells.resize(frame.first_cell);
        match_.frames.pop_back();
        break;
      }
      case TrailKind::Variable: match_.operators[entry.pattern] = kNoOperator; break;
      case TrailKind::Output: match_.outputs.pop_back(); break;
      case TrailKind::OutputCount: match_.output_counts.pop_back(); break;
    }
  }
}

NodeId* MatchMachine::template_slot(PatternId pattern, std::uint32_t frame) {
  std::uint32_t home = match_.frame_of(plan_->owner[pattern], frame);
  ensure(home != kNone, "a template is matched inside its variadic");
  return &match_.cells[match_.frames[home].first_cell + plan_->place[pattern]].node;
}

std::uint32_t* MatchMachine::list_slot(PatternId variadic, std::uint32_t frame) {
  PatternId owner = plan_->owner[variadic];
  if (owner == kNone) {
    return &match_.lists[variadic];
  }
  std::uint32_t home = match_.frame_of(owner, frame);
  ensure(home != kNone, "a nested variadic is matched inside the outer one");
  return &match_.cells[match_.frames[home].first_cell + plan_->place[variadic]].list;
}

void MatchMachine::bind_operator(std::uint32_t variable, NodeId node) {
  if (match_.operators[variable] == kNoOperator) {
    match_.operators[variable] = graph_.op(node);
    trail_.push_back({TrailKind::Variable, false, variable, kNoNode, 0});
  }
}

}  // namespace vouch
