// The quick way for rules that most are: one output, operators and inputs without attributes or conditions. The steps of such a
// rule are taken once each, without goals or choices; where a commutative operator leaves two orders open, the machine decides.
#include "rewrite/machine.h"

namespace vouch {

std::vector<SimpleStep> simple_steps(const RulePlan& plan) {
  const Rule& rule = *plan.rule;
  if (rule.source_outputs.size() != 1 || !rule.constraints.empty()) {
    return {};
  }
  std::vector<SimpleStep> steps{{rule.source_outputs[0], 0, 0, false}};
  std::vector<bool> seen(rule.patterns.size());
  for (std::size_t at = 0; at < steps.size(); ++at) {
    PatternId id = steps[at].pattern;
    if (id == kNone || plan.plain[id] == 0 || plan.owner[id] != kNone) {
      return {};
    }
    if (steps[at].again = seen[id]; !seen[id]) {
      const std::vector<PatternId>& operands = rule.pattern(id).operands;
      for (std::uint32_t k = 0; k < operands.size(); ++k) {
        steps.push_back({operands[k], static_cast<std::uint32_t>(at), k, false});
      }
    }
    seen[id] = true;
  }
  return steps;
}

// Nothing: undecided.
std::optional<bool> MatchMachine::run_simple(NodeId first_output) {
  const std::vector<SimpleStep>& steps = plan_->simple;
  simple_places_.resize(steps.size());
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
    if (!fits_head(step.pattern, node, true) || (!plan_->is_input(step.pattern) && is_inside(node))) {
      return false;
    }
    auto swapped = swaps_operands(step.pattern, node);
    if (!swapped) {
      return std::nullopt;
    }
    bind(step.pattern, node, 0);
    simple_places_[at] = {node, *swapped};
  }
  match_.outputs.push_back(first_output);
  trail_.push_back({TrailKind::Output, false, kNone, kNoNode, 0});
  match_.output_counts.push_back(1);
  trail_.push_back({TrailKind::OutputCount, false, kNone, kNoNode, 0});
  return step_finish();
}

// Of a commutative call: must its operands be taken in the other order? Nothing: one look cannot tell.
std::optional<bool> MatchMachine::swaps_operands(PatternId pattern, NodeId node) {
  const Pattern& p = rule_->pattern(pattern);
  if (p.kind != PatternKind::Call || p.operands.size() != 2 || !op_def(*p.op).traits.commutative) {
    return false;
  }
  std::span<const NodeId> operands = graph_.operands(node);
  if (operands[0] == operands[1] || !fits_head(p.operands[0], operands[1], true) ||
      !fits_head(p.operands[1], operands[0], true)) {
    return false;
  }
  bool straight = fits_head(p.operands[0], operands[0], true) && fits_head(p.operands[1], operands[1], true);
  return straight ? std::nullopt : std::optional(true);
}

}  // namespace vouch
