#include "rewrite/builder.h"

#include <algorithm>

#include "rule/print.h"

namespace vouch {

bool TargetBuilder::build(const RulePlan& plan, const Match& match) {
  reset(plan, match);
  for (PatternId output : rule_->target_outputs) {
    std::size_t before = application_.results.size();
    if (!build_output(output)) {
      return false;
    }
    result_counts_.push_back(static_cast<std::uint32_t>(application_.results.size() - before));
  }
  return true;
}

void TargetBuilder::reset(const RulePlan& plan, const Match& match) {
  for (PatternId id : made_order_) {
    made_[id] = kNoNode;
  }
  made_order_.clear();
  plan_ = &plan;
  rule_ = plan.rule;
  match_ = &match;
  if (made_.size() < rule_->patterns.size()) {
    made_.resize(rule_->patterns.size(), kNoNode);
  }
  if (options_.memoise && memo_.size() < rule_->attrs.size()) {
    memo_.resize(rule_->attrs.size());
  }
  ++applications_;
  stack_.clear();
  items_.clear();
  symbols_.clear();
  instances_.clear();
  result_counts_.clear();
  application_.results.clear();
  application_.new_nodes.clear();
  before_ = graph_.mark();
  first_new_ = static_cast<NodeId>(graph_.id_limit());
  error_.clear();
}

void TargetBuilder::abandon() { graph_.revert(before_); }

bool TargetBuilder::fail(std::string message) {
  if (error_.empty()) {
    error_ = std::move(message);
  }
  return false;
}

bool TargetBuilder::build_output(PatternId output) {
  as_output_ = !is_matched(output) && rule_->pattern(output).kind == PatternKind::Variadic;
  if (is_matched(output)) {
    if (match_->nodes[output] == kNoNode) {
      return need(output);
    }
  } else if (made_[output] == kNoNode || as_output_) {
    stack_.push_back({output, 0, 0, 0, false});
    if (!run()) {
      return false;
    }
  }
  if (!as_output_) {
    application_.results.push_back(value_of(output));
  }
  return true;
}

bool TargetBuilder::run() {
  while (!stack_.empty()) {
    if (!step(stack_.back())) {
      return false;
    }
  }
  return true;
}

// Puts a part that is still to be made on the stack.
bool TargetBuilder::need(PatternId pattern) {
  if (is_matched(pattern)) {
    return fail("the target uses a pattern that was not matched: " + print_pattern(*rule_, pattern));
  }
  stack_.push_back({pattern, 0, 0, 0, false});
  return true;
}

bool TargetBuilder::finish(NodeId node) {
  PatternId id = stack_.back().pattern;
  if (node == kNoNode) {
    return fail("this part of the target has no value: " + print_pattern(*rule_, id));
  }
  made_[id] = node;
  made_order_.push_back(id);
  stack_.pop_back();
  return true;
}

bool TargetBuilder::step(Frame& frame) {
  const Pattern& p = rule_->pattern(frame.pattern);
  switch (p.kind) {
    case PatternKind::Call:
    case PatternKind::Tuple:
    case PatternKind::Projection: return step_operands(frame);
    case PatternKind::Const: return finish(make_constant(p));
    case PatternKind::Variadic: return step_variadic(frame);
    case PatternKind::Instance: return step_instance(frame);
    case PatternKind::Conditional:
    case PatternKind::Alternative: return step_choice(frame);
    case PatternKind::Wildcard:
    case PatternKind::Variable: break;
  }
  return fail("the target creates an input");
}

bool TargetBuilder::step_operands(Frame& frame) {
  const Pattern& p = rule_->pattern(frame.pattern);
  for (; frame.next < p.operands.size(); ++frame.next) {
    if (p.operands[frame.next] != kNone && value_of(p.operands[frame.next]) == kNoNode) {
      return need(p.operands[frame.next]);
    }
  }
  if (p.attributes_as != kNone && node_of(p.attributes_as) == kNoNode) {
    return need(p.attributes_as);
  }
  NodeId node = p.kind == PatternKind::Call    ? make_call(frame.pattern)
                : p.kind == PatternKind::Tuple ? make_tuple(p)
                                               : make_projection(p);
  return finish(node);
}

// Only the side that is meant is built.
bool TargetBuilder::step_choice(Frame& frame) {
  const Pattern& p = rule_->pattern(frame.pattern);
  if (!frame.entered && p.kind == PatternKind::Conditional) {
    auto value = eval(p.selector);
    auto condition = value ? value->int64() : std::nullopt;
    if (!condition) {
      return fail("a condition has no value: " + print_attr(*rule_, p.selector));
    }
    frame.next = *condition != 0 ? 0 : 1;
  }
  frame.entered = true;
  PatternId chosen = p.operands[frame.next];
  return value_of(chosen) == kNoNode ? need(chosen) : finish(value_of(chosen));
}

// PE-Inst: an instance that the source matched, or one that the target has made.
bool TargetBuilder::step_instance(Frame& frame) {
  const Pattern& p = rule_->pattern(frame.pattern);
  if (rule_->in_source[p.operands[0]]) {
    MatchedAttributes matched(graph_, plan_, *match_);
    return finish(matched.instance(frame.pattern, symbols_));
  }
  if (made_[p.operands[0]] == kNoNode && !instances_.contains(p.operands[0])) {
    return need(p.operands[0]);
  }
  return finish(target_instance(frame.pattern, symbols_));
}

NodeId TargetBuilder::target_instance(PatternId instance, const SymbolEnv& symbols) const {
  const Pattern& p = rule_->pattern(instance);
  auto found = instances_.find(p.operands[0]);
  auto value = eval_attr(*rule_, p.selector, symbols, attributes_);
  std::int64_t index = value ? value->int64().value_or(-1) : -1;
  const std::vector<PatternId>& templates = rule_->pattern(p.operands[0]).templates;
  auto place = std::find(templates.begin(), templates.end(), p.operands[1]);
  if (found == instances_.end() || index < 0 || place == templates.end()) {
    return kNoNode;
  }
  std::size_t at = static_cast<std::size_t>(index) * templates.size() + static_cast<std::size_t>(place - templates.begin());
  return at < found->second.size() ? found->second[at] : kNoNode;
}

NodeId TargetBuilder::node_of(PatternId pattern) const {
  const Pattern& p = rule_->pattern(pattern);
  if (p.kind == PatternKind::Instance && rule_->in_source[p.operands[0]]) {
    return MatchedAttributes(graph_, plan_, *match_).instance(pattern, symbols_);
  }
  return value_of(pattern);
}

std::optional<AttrValue> TargetBuilder::Attributes::access(PatternId pattern, Symbol name, const SymbolEnv& symbols) const {
  const TargetBuilder& b = builder_;
  NodeId node = b.made_[pattern];
  const Pattern& p = b.rule_->pattern(pattern);
  if (p.kind == PatternKind::Instance) {
    node = b.rule_->in_source[p.operands[0]] ? kNoNode : b.target_instance(pattern, symbols);
  }
  if (node != kNoNode) {
    return node_attribute(b.graph_, node, name);
  }
  return MatchedAttributes(b.graph_, b.plan_, *b.match_).access(pattern, name, symbols);
}

const AttrValue* TargetBuilder::Attributes::remembered(AttrId attr) const {
  const TargetBuilder& b = builder_;
  return b.options_.memoise && b.memo_[attr].application == b.applications_ ? &b.memo_[attr].value : nullptr;
}

void TargetBuilder::Attributes::remember(AttrId attr, const AttrValue& value) const {
  if (builder_.options_.memoise) {
    builder_.memo_[attr] = {builder_.applications_, value};
  }
}

}  // namespace vouch
