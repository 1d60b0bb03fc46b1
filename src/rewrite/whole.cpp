// What must hold of a match as a whole, once all outputs are matched.
#include <algorithm>

#include "rewrite/machine.h"

namespace vouch {

bool MatchMachine::conditions_hold(std::uint32_t k) {
  const OutputPlan& output = plan_->outputs[k];
  if (output.conditions.empty()) {
    return true;
  }
  if (!output.asked || explain_) {
    return evaluate_conditions(output);
  }
  Decided& last = decided_[(plan_->number + k) % decided_.size()];
  if (last.plan != plan_->number || last.output != k || !output.asked->same(graph_, match_, last.words)) {
    output.asked->read(graph_, match_, last.words);
    last.plan = plan_->number;
    last.output = k;
    last.hold = evaluate_conditions(output);
  }
  return last.hold;
}

bool MatchMachine::evaluate_conditions(const OutputPlan& output) {
  attributes_.set_frame(0);
  return std::all_of(output.conditions.begin(), output.conditions.end(), [&](AttrId condition) {
    return holds(*rule_, condition, {}, attributes_) || fail(Why::Condition, output.output, match_.outputs.back(), condition);
  });
}

bool MatchMachine::step_finish() {
  for (NodeId output : match_.outputs) {
    marks_[output] = mark(kOutput);
  }
  bool holds = inside_is_private() && !makes_cycle();
  if (!holds) {
    for (NodeId output : match_.outputs) {
      marks_[output] = mark(kInside);
    }
  }
  return holds;
}

// Condition 4 of the definition of graph substitution: no edge leaves the inside of the match, outputs excepted.
bool MatchMachine::inside_is_private() {
  for (const Trail& bound : trail_) {
    if (!bound.inside || marks_[bound.node] == mark(kOutput)) {
      continue;
    }
    if (graph_.output_count(bound.node) != 0) {
      return fail(Why::ModelOutput, bound.pattern, bound.node);
    }
    for (const Use& use : graph_.uses(bound.node)) {
      if (!is_inside(use.user)) {
        return fail(Why::UsedOutside, bound.pattern, bound.node, kNone, use.user);
      }
    }
  }
  return true;
}

// With several outputs, an input may depend on an output through the rest of the graph; replacing would then make a cycle.
// A search upwards from the inputs. Positions grow along edges: nothing in front of every output depends on one.
bool MatchMachine::makes_cycle() {
  if (match_.outputs.size() < 2) {
    return false;
  }
  pending_.clear();
  for (const Trail& bound : trail_) {
    if (bound.kind == TrailKind::Node && !bound.inside) {
      pending_.push_back(bound.node);
    }
  }
  std::uint64_t lowest = UINT64_MAX;
  for (NodeId output : match_.outputs) {
    lowest = std::min(lowest, graph_.position(output));
  }
  std::vector<NodeId> visited;
  bool found = false;
  while (!pending_.empty() && !found) {
    NodeId node = pending_.back();
    pending_.pop_back();
    if (graph_.position(node) < lowest || marks_[node] == mark(kVisited)) {
      continue;
    }
    found = is_inside(node);
    if (found) {
      fail(Why::Cycle, rule_->source_outputs[0], node);
      break;
    }
    visited.push_back(node);
    marks_[node] = mark(kVisited);
    for (NodeId operand : graph_.operands(node)) {
      if (operand != kNoNode) {
        pending_.push_back(operand);
      }
    }
  }
  for (NodeId node : visited) {
    marks_[node] = 0;
  }
  return found;
}

}  // namespace vouch
