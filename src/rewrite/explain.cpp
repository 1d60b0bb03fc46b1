// Why a match failed, in words: only in explain mode.
#include <fmt/format.h>

#include "rewrite/machine.h"
#include "rule/print.h"

namespace vouch {
namespace {

std::string kind_words(const Graph& graph, NodeId node) {
  switch (graph.kind(node)) {
    case NodeKind::Call: return fmt::format("a call of {}", op_def(graph.op(node)).name);
    case NodeKind::Input: return "an input of the model";
    case NodeKind::Parameter: return "a parameter";
    case NodeKind::Constant: return "a constant";
    case NodeKind::Tuple: return fmt::format("a tuple of {}", graph.operands(node).size());
    case NodeKind::Projection: return "an item of a tuple";
    case NodeKind::Erased: break;
  }
  return "nothing";
}

std::string head_words(const Pattern& p) {
  switch (p.kind) {
    case PatternKind::Const: return "a constant or parameter";
    case PatternKind::Variable: return "an input or parameter of the model";
    case PatternKind::Call:
      return p.op ? fmt::format("a call of {}", op_def(*p.op).name)
                  : fmt::format("a call of the operator {}", p.op_variable.name());
    case PatternKind::Tuple: return fmt::format("a tuple of {}", p.operands.size());
    case PatternKind::Projection: return "an item of a tuple";
    case PatternKind::Variadic: return fmt::format("a tuple of at least {}", p.min_length);
    case PatternKind::Wildcard:
    case PatternKind::Instance:
    case PatternKind::Alternative:
    case PatternKind::Conditional: break;
  }
  return "anything";
}

}  // namespace

void MatchMachine::note_failure(Why why, PatternId pattern, NodeId node, AttrId attribute, NodeId other) {
  std::size_t matched = 0;
  for (const Trail& entry : trail_) {
    matched += entry.kind == TrailKind::Node ? 1 : 0;
  }
  if (best_.pattern != kNone && matched <= best_.matched) {
    return;
  }
  best_ = MatchFailure();
  best_.pattern = pattern;
  best_.node = node;
  best_.attribute = attribute;
  best_.matched = matched;
  best_nodes_ = match_.nodes;
  describe(why, best_, other);
}

void MatchMachine::describe(Why why, MatchFailure& failure, NodeId other) {
  const Pattern& p = rule_->pattern(failure.pattern);
  NodeId node = failure.node;
  auto say = [&](std::string expected, std::string found) {
    failure.expected = std::move(expected);
    failure.found = std::move(found);
  };
  switch (why) {
    case Why::Absent: return say(head_words(p), "an absent operand");
    case Why::Bound:
      return say(fmt::format("'{}' again, which this pattern is matched to", graph_.name(other)),
                 fmt::format("'{}'", graph_.name(node)));
    case Why::Taken: return say("a node of its own", fmt::format("'{}', which another pattern is matched to", graph_.name(node)));
    case Why::Head:
    case Why::Operator: return say(head_words(p), kind_words(graph_, node));
    case Why::Variable:
      return say(fmt::format("an operator that {} ({}) may stand for", p.op_variable.name(), trait_name(p.trait)),
                 kind_words(graph_, node));
    case Why::Operands:
      return say(fmt::format("{} operands", p.operands.size()), fmt::format("{}", graph_.operands(node).size()));
    case Why::TooFew: return say(head_words(p), kind_words(graph_, node));
    case Why::Shared:
    case Why::ModelOutput:
      if (graph_.output_count(node) != 0) {
        return say("an inner node, which only the match uses",
                   fmt::format("'{}', which is an output of the model", graph_.name(node)));
      }
      return say(fmt::format("an inner node with {} use{}", plan_->most_uses[failure.pattern],
                             plan_->most_uses[failure.pattern] == 1 ? "" : "s"),
                 fmt::format("'{}' with {} uses", graph_.name(node), graph_.uses(node).size()));
    case Why::UsedOutside:
      return say("an inner node, which only the match uses",
                 fmt::format("'{}', which '{}' uses too, outside of the match", graph_.name(node), graph_.name(other)));
    case Why::Instance: return say("the node of that instance", fmt::format("'{}'", graph_.name(node)));
    case Why::Undecided: return say("a condition that is true or false: " + print_attr(*rule_, failure.attribute), "no value");
    case Why::OtherAttributes:
      return say(
          other == kNoNode ? std::string("the attributes of a call") : fmt::format("the attributes of '{}'", graph_.name(other)),
          fmt::format("other attributes at '{}'", graph_.name(node)));
    case Why::Attribute:
    case Why::Axes:
    case Why::Condition: return describe_attribute(failure);
    case Why::NoOutput:
      return say(fmt::format("another output that matches {}", print_pattern(*rule_, failure.pattern)), "none near this one");
    case Why::Cycle:
      return say("inputs that do not depend on the outputs", fmt::format("an input that depends on '{}'", graph_.name(node)));
  }
}

void MatchMachine::describe_attribute(MatchFailure& failure) {
  const AttrExpr& wanted = rule_->attr(failure.attribute);
  for (const PatternAttr& attr : rule_->pattern(failure.pattern).attributes) {
    if (attr.value == failure.attribute) {
      auto value = eval_attr(*rule_, attr.value, symbols_, attributes_);
      auto found = node_attribute(graph_, failure.node, attr.name);
      failure.expected = fmt::format("{} = {}", attr.name.name(), value ? value->text() : print_attr(*rule_, attr.value));
      failure.found = found ? found->text() : "no such attribute";
      return;
    }
  }
  failure.expected = print_attr(*rule_, failure.attribute);
  if (wanted.kind != AttrKind::Binary) {
    failure.found = "false";
    return;
  }
  auto left = eval_attr(*rule_, wanted.args[0], {}, attributes_);
  auto right = eval_attr(*rule_, wanted.args[1], {}, attributes_);
  failure.found = fmt::format("{} {} {}", left ? left->text() : "no value", binary_op_text(wanted.binary),
                              right ? right->text() : "no value");
}

}  // namespace vouch
