// The quick way for rules that most are: one output, operators and inputs without attributes. The steps of such a rule are taken
// once each, without goals or choices; where a commutative operator leaves two orders open, the machine decides.
#include <algorithm>

#include "rewrite/head.h"
#include "rewrite/machine.h"

namespace vouch {
namespace {

SimpleStep step_for(const RulePlan& plan, PatternId id) {
  const Pattern& p = plan.rule->pattern(id);
  SimpleStep step;
  step.pattern = id;
  step.operands = static_cast<std::uint32_t>(p.operands.size());
  step.input = plan.is_input(id);
  step.most_uses = step.input ? RulePlan::kAnyUses : plan.most_uses[id];
  step.asks = p.kind == PatternKind::Wildcard ? SimpleStep::Asks::Nothing
              : p.kind == PatternKind::Call   ? SimpleStep::Asks::Call
              : p.kind == PatternKind::Tuple  ? SimpleStep::Asks::Tuple
                                              : SimpleStep::Asks::Value;
  if (p.kind == PatternKind::Call) {
    step.op = *p.op;
    step.commutes = p.operands.size() == 2 && op_def(*p.op).traits.commutative;
  }
  return step;
}

// As MatchMachine::fits_head.
bool fits(const Graph& graph, const SimpleStep& step, NodeId node) {
  if (node == kNoNode) {
    return false;
  }
  if (step.asks == SimpleStep::Asks::Nothing) {
    return true;
  }
  if (step.asks == SimpleStep::Asks::Value) {
    return graph.has_value(node);
  }
  const bool call = step.asks == SimpleStep::Asks::Call;
  if (graph.kind(node) != (call ? NodeKind::Call : NodeKind::Tuple) || (call && graph.op(node) != step.op)) {
    return false;
  }
  std::span<const NodeId> operands = graph.operands(node);
  return (call ? has_operands(operands, step.operands) : operands.size() == step.operands) &&
         is_private_enough(graph, node, step.most_uses);
}

// Of a commutative call: must its operands be taken in the other order? Nothing: one look cannot tell.
std::optional<bool> swaps_operands(const Graph& graph, const std::vector<SimpleStep>& steps, const SimpleStep& step,
                                   NodeId node) {
  if (!step.commutes) {
    return false;
  }
  std::span<const NodeId> operands = graph.operands(node);
  const SimpleStep& first = steps[step.first];
  const SimpleStep& second = steps[step.first + 1];
  if (operands[0] == operands[1] || !fits(graph, first, operands[1]) || !fits(graph, second, operands[0])) {
    return false;
  }
  bool straight = fits(graph, first, operands[0]) && fits(graph, second, operands[1]);
  return straight ? std::nullopt : std::optional(true);
}

}  // namespace

std::vector<SimpleStep> simple_steps(const RulePlan& plan) {
  const Rule& rule = *plan.rule;
  if (rule.source_outputs.size() != 1 || !rule.layouts.empty() || plan.plain[rule.source_outputs[0]] == 0 ||
      plan.owner[rule.source_outputs[0]] != kNone) {
    return {};
  }
  std::vector<SimpleStep> steps{step_for(plan, rule.source_outputs[0])};
  std::vector<bool> seen(rule.patterns.size());
  for (std::size_t at = 0; at < steps.size(); ++at) {
    PatternId id = steps[at].pattern;
    steps[at].first = static_cast<std::uint32_t>(steps.size());
    if (steps[at].again = seen[id]; steps[at].again) {
      continue;
    }
    seen[id] = true;
    const std::vector<PatternId>& operands = rule.pattern(id).operands;
    for (std::uint32_t k = 0; k < operands.size(); ++k) {
      if (operands[k] == kNone || plan.plain[operands[k]] == 0 || plan.owner[operands[k]] != kNone) {
        return {};
      }
      steps.push_back(step_for(plan, operands[k]));
      steps.back().parent = static_cast<std::uint32_t>(at);
      steps.back().operand = k;
    }
  }
  return steps;
}

// Nothing: undecided.
std::optional<bool> MatchMachine::run_simple(NodeId first_output) {
  const std::vector<SimpleStep>& steps = plan_->simple;
  simple_places_.resize(std::max(simple_places_.size(), steps.size()));
  for (std::size_t at = 0; at < steps.size(); ++at) {
    const SimpleStep& step = steps[at];
    NodeId node = first_output;
    if (at != 0) {
      const SimplePlace& parent = simple_places_[step.parent];
      node = graph_.operands(parent.node)[parent.swapped ? 1 - step.operand : step.operand];
    }
    if (step.again) {
      if (match_.nodes[step.pattern] != node) {
        return false;
      }
      continue;
    }
    if (!fits(graph_, step, node) || (!step.input && is_inside(node))) {
      return false;
    }
    auto swapped = swaps_operands(graph_, steps, step, node);
    if (!swapped) {
      return std::nullopt;
    }
    match_.nodes[step.pattern] = node;
    if (!step.input) {
      marks_[node] = mark(kInside);
    }
    trail_.push_back({TrailKind::Node, !step.input, step.pattern, node, 0});
    simple_places_[at] = {node, *swapped};
  }
  match_.outputs.push_back(first_output);
  trail_.push_back({TrailKind::Output, false, kNone, kNoNode, 0});
  match_.output_counts.push_back(1);
  trail_.push_back({TrailKind::OutputCount, false, kNone, kNoNode, 0});
  return conditions_hold(0) && step_finish();
}

}  // namespace vouch
