// Patterns against nodes: figure pat_match of the thesis, rule by rule.
#include <algorithm>

#include "rewrite/head.h"
#include "rewrite/machine.h"

namespace vouch {

bool MatchMachine::step_match(const Goal& goal) {
  if (goal.pattern == kNone) {  // `_`: absent here, too
    return goal.node == kNoNode;
  }
  if (goal.node == kNoNode) {
    return fail(Why::Absent, goal.pattern, goal.node);
  }
  const Pattern& p = rule_->pattern(goal.pattern);
  if (p.kind == PatternKind::Instance) {  // PM-Inst
    attributes_.set_frame(goal.frame);
    conflicted_ = true;
    return attributes_.instance(goal.pattern, symbols_of(goal.frame)) == goal.node ||
           fail(Why::Instance, goal.pattern, goal.node);
  }
  NodeId bound = *slot(goal.pattern, goal.frame);
  if (bound != kNoNode) {
    conflicted_ = conflicted_ || bound != goal.node;
    return bound == goal.node || fail(Why::Bound, goal.pattern, goal.node, kNone, bound);
  }
  if (p.kind == PatternKind::Alternative || p.kind == PatternKind::Conditional) {
    return step_choice_pattern(goal);
  }
  if (!fits_head(goal.pattern, goal.node, false)) {
    return false;
  }
  if (!plan_->is_input(goal.pattern) && is_inside(goal.node)) {
    conflicted_ = true;
    return fail(Why::Taken, goal.pattern, goal.node);
  }
  if (plan_->plain[goal.pattern] != 0 && !explain_) {
    bind(goal.pattern, goal.node, goal.frame);
    return push_operands(goal);
  }
  Goal check = goal;
  check.kind = GoalKind::Check;
  push(check);
  if (p.kind == PatternKind::Variadic) {
    open_list(goal.pattern, goal.frame);
    Goal field = goal;
    field.kind = GoalKind::Field;
    field.at = 0;
    push(field);
    return true;
  }
  return push_operands(goal);
}

bool MatchMachine::step_choice_pattern(const Goal& goal) {
  const Pattern& p = rule_->pattern(goal.pattern);
  Goal alias = goal;
  alias.kind = GoalKind::Alias;
  push(alias);
  Goal option = goal;
  if (p.kind == PatternKind::Conditional) {
    attributes_.set_frame(goal.frame);
    auto value = eval_attr(*rule_, p.selector, symbols_of(goal.frame), attributes_);
    auto condition = value ? value->int64() : std::nullopt;
    if (!condition) {  // neither side is known to be meant
      return fail(Why::Undecided, goal.pattern, goal.node, p.selector);
    }
    option.pattern = p.operands[*condition != 0 ? 0 : 1];
    push(option);
    return true;
  }
  std::uint32_t rest = goals_head_;
  for (std::size_t k = p.operands.size(); k-- > 0;) {
    goals_head_ = rest;
    option.pattern = p.operands[k];
    push(option);
    if (k > 0) {
      push_choice();
    }
  }
  return true;
}

bool MatchMachine::push_operands(const Goal& goal) {
  const Pattern& p = rule_->pattern(goal.pattern);
  std::span<const NodeId> operands = graph_.operands(goal.node);
  std::uint32_t rest = goals_head_;
  auto push_one = [&](PatternId pattern, NodeId node) {
    Goal operand;
    operand.pattern = pattern;
    operand.node = node;
    operand.frame = goal.frame;
    push(operand);
  };
  bool swaps = p.kind == PatternKind::Call && p.operands.size() == 2 && operands[0] != operands[1] &&
               op_def(graph_.op(goal.node)).traits.commutative;
  if (swaps) {
    // The other order is tried later, unless one look shows that it cannot be.
    if (fits_head(p.operands[0], operands[1], true) && fits_head(p.operands[1], operands[0], true)) {
      push_one(p.operands[1], operands[0]);
      push_one(p.operands[0], operands[1]);
      push_choice();
      goals_head_ = rest;
    } else {
      swaps = false;
    }
  }
  for (std::size_t k = p.operands.size(); k-- > 0;) {
    PatternId operand = p.operands[k];
    bool at_once = !swaps && !explain_ && operand != kNone && operands[k] != kNoNode && plan_->plain[operand] != 0 &&
                   rule_->pattern(operand).kind == PatternKind::Wildcard;
    if (!at_once) {
      push_one(operand, operands[k]);
    } else if (!match_wildcard(operand, operands[k], goal.frame)) {
      return false;
    }
  }
  return true;
}

bool MatchMachine::match_wildcard(PatternId pattern, NodeId node, std::uint32_t frame) {
  NodeId bound = *slot(pattern, frame);
  if (bound == kNoNode) {
    bind(pattern, node, frame);
  }
  conflicted_ = conflicted_ || (bound != kNoNode && bound != node);
  return bound == kNoNode || bound == node;
}

// Kind, operator, number of operands and of uses agree. `quietly`: a first look, which explains nothing.
bool MatchMachine::fits_head(PatternId pattern, NodeId node, bool quietly) {
  const Pattern& p = rule_->pattern(pattern);
  if (node == kNoNode) {
    return false;
  }
  NodeKind kind = graph_.kind(node);
  bool fits = true;
  switch (p.kind) {
    case PatternKind::Wildcard:
    case PatternKind::Instance:
    case PatternKind::Alternative:
    case PatternKind::Conditional: return true;
    case PatternKind::Const: fits = graph_.has_value(node); break;
    case PatternKind::Variable: fits = graph_.has_value(node); break;  // an input is given at run time
    case PatternKind::Call:
      fits = kind == NodeKind::Call;
      if (fits && !fits_operator(pattern, node, quietly)) {
        return false;
      }
      break;
    case PatternKind::Tuple: fits = kind == NodeKind::Tuple && graph_.operands(node).size() == p.operands.size(); break;
    case PatternKind::Projection: fits = kind == NodeKind::Projection; break;
    case PatternKind::Variadic:
      fits = kind == NodeKind::Tuple;
      if (fits && graph_.operands(node).size() < p.min_length) {
        return !quietly && fail(Why::TooFew, pattern, node);
      }
      break;
  }
  if (!fits) {
    return !quietly && fail(Why::Head, pattern, node);
  }
  return is_private_enough(pattern, node) || (!quietly && fail(Why::Shared, pattern, node));
}

bool MatchMachine::is_private_enough(PatternId pattern, NodeId node) const {
  return plan_->is_input(pattern) || vouch::is_private_enough(graph_, node, plan_->most_uses[pattern]);
}

bool MatchMachine::fits_operator(PatternId pattern, NodeId node, bool quietly) {
  const Pattern& p = rule_->pattern(pattern);
  OpId op = graph_.op(node);
  if (p.op && *p.op != op) {
    return !quietly && fail(Why::Operator, pattern, node);
  }
  if (!p.op && !fits_variable(pattern, op)) {
    conflicted_ = true;
    return !quietly && fail(Why::Variable, pattern, node);
  }
  return has_operands(graph_.operands(node), p.operands.size()) || (!quietly && fail(Why::Operands, pattern, node));
}

// Every use of one operator variable in a match stands for one operator.
bool MatchMachine::fits_variable(PatternId pattern, OpId op) const {
  OpId bound = match_.operators[plan_->op_variable[pattern]];
  if (bound != kNoOperator) {
    return bound == op;
  }
  const OpDef& def = op_def(op);
  switch (rule_->pattern(pattern).trait) {
    case OpTrait::Any: return !def.opaque;
    case OpTrait::Elementwise: return !def.opaque && def.traits.elementwise;
    case OpTrait::Commutative: return !def.opaque && def.traits.commutative;
  }
  return false;
}

// Γ: the index of each enclosing variadic, innermost last.
const SymbolEnv& MatchMachine::symbols_of(std::uint32_t frame) {
  symbols_.clear();
  for (; frame != 0; frame = match_.frames[frame].outer) {
    const Match::Frame& f = match_.frames[frame];
    symbols_.emplace_back(rule_->pattern(f.variadic).index, f.index);
  }
  std::reverse(symbols_.begin(), symbols_.end());
  return symbols_;
}

}  // namespace vouch
