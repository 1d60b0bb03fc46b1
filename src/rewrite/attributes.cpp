// Attributes of patterns against those of nodes: Γ ⊢ a ≅ v, with the common forms compared in place.
#include <algorithm>

#include "rewrite/machine.h"
#include "rule/axes.h"

namespace vouch {

bool MatchMachine::step_check(const Goal& goal) {
  bind(goal.pattern, goal.node, goal.frame);
  const Pattern& p = rule_->pattern(goal.pattern);
  if (!rule_->layouts.empty() && !step_layout(goal)) {
    return false;
  }
  if (p.attributes.empty() && p.conditions.empty() && p.attributes_as == kNone) {
    return true;
  }
  attributes_.set_frame(goal.frame);
  for (const PatternAttr& attr : p.attributes) {
    if (!attribute_matches(attr, goal.pattern, goal.node, goal.frame)) {
      return fail(Why::Attribute, goal.pattern, goal.node, attr.value);
    }
  }
  for (AttrId condition : p.conditions) {
    if (!holds(*rule_, condition, symbols_of(goal.frame), attributes_)) {
      return fail(Why::Condition, goal.pattern, goal.node, condition);
    }
  }
  return p.attributes_as == kNone || same_attributes(goal.pattern, goal.node, goal.frame);
}

// `* as c`: every attribute that the pattern does not mention is that of c, or neither call has it.
bool MatchMachine::same_attributes(PatternId pattern, NodeId node, std::uint32_t frame) {
  const Pattern& p = rule_->pattern(pattern);
  NodeId other = rule_->pattern(p.attributes_as).kind == PatternKind::Instance
                     ? attributes_.instance(p.attributes_as, symbols_of(frame))
                     : match_.find(*plan_, p.attributes_as, frame);
  if (other == kNoNode || graph_.kind(other) != NodeKind::Call || graph_.op(other) != graph_.op(node)) {
    return fail(Why::OtherAttributes, pattern, node, kNone, other);
  }
  for (const AttrDef& declared : op_def(graph_.op(node)).attributes) {
    Symbol name(declared.name);
    bool given = std::any_of(p.attributes.begin(), p.attributes.end(), [&](const PatternAttr& a) { return a.name == name; });
    if (given) {
      continue;
    }
    const AttrValue* mine = own_attribute(graph_, node, name);
    const AttrValue* theirs = own_attribute(graph_, other, name);
    bool same = mine == theirs || (mine != nullptr && theirs != nullptr && *mine == *theirs);
    if (!same) {
      return fail(Why::OtherAttributes, pattern, node, kNone, other);
    }
  }
  return true;
}

bool MatchMachine::attribute_matches(const PatternAttr& attr, PatternId pattern, NodeId node, std::uint32_t frame) {
  static const Symbol kValue("value");
  const AttrExpr& wanted = rule_->attr(attr.value);
  if (wanted.kind == AttrKind::Axes && only_names_axes(*rule_, pattern, attr.name)) {
    auto found = node_attribute(graph_, node, attr.name);
    return found && names_axes(*rule_, wanted, *found, match_.axis_numbers);
  }
  if (rule_->pattern(pattern).kind == PatternKind::Const && attr.name == kValue && graph_.has_value(node)) {
    return constant_matches(attr.value, node, symbols_of(frame));
  }
  if (wanted.kind == AttrKind::Absent) {
    return leaves_out(graph_, node, attr.name);
  }
  if (auto decided = compares_at_once(attr, node, frame)) {
    return *decided;
  }
  auto value = node_attribute(graph_, node, attr.name);
  if (!value) {  // `strides as c`: both absent is equal
    return wanted.kind == AttrKind::Access && !eval_attr(*rule_, attr.value, symbols_of(frame), attributes_);
  }
  return match_attr(*rule_, attr.value, *value, symbols_of(frame), attributes_);
}

// The common forms without building values: a literal or another node's attribute against an operator's attribute, shape
// against shape. Nothing: not one of these.
std::optional<bool> MatchMachine::compares_at_once(const PatternAttr& attr, NodeId node, std::uint32_t frame) {
  static const Symbol kShape("shape");
  const AttrExpr& wanted = rule_->attr(attr.value);
  if (wanted.kind != AttrKind::Value && wanted.kind != AttrKind::Access) {
    return std::nullopt;
  }
  const AttrValue* mine = own_attribute(graph_, node, attr.name);
  if (wanted.kind == AttrKind::Value) {
    return mine != nullptr ? std::optional(same_value(wanted.value, *mine)) : std::nullopt;
  }
  if (rule_->pattern(wanted.pattern).kind == PatternKind::Instance) {
    return std::nullopt;
  }
  NodeId other = match_.find(*plan_, wanted.pattern, frame);
  if (other == kNoNode) {
    return std::nullopt;
  }
  const AttrValue* theirs = own_attribute(graph_, other, wanted.name);
  if (mine != nullptr && theirs != nullptr) {
    return mine == theirs || same_value(*mine, *theirs);
  }
  bool shapes = attr.name == kShape && wanted.name == kShape && mine == nullptr && theirs == nullptr;
  if (shapes && graph_.type(node).is_tensor() && graph_.type(other).is_tensor()) {
    return graph_.type(node).extents() == graph_.type(other).extents();
  }
  return std::nullopt;
}

// A number also matches a constant of one axis all of whose elements are that number.
bool MatchMachine::constant_matches(AttrId wanted, NodeId node, const SymbolEnv& symbols) {
  const Tensor& value = graph_.value(node);
  auto number = eval_attr(*rule_, wanted, symbols, attributes_);
  if (number && number->number()) {
    return holds_only(value, *number);
  }
  static const Symbol kValue("value");
  auto found = node_attribute(graph_, node, kValue);
  return found && match_attr(*rule_, wanted, *found, symbols, attributes_);
}

}  // namespace vouch
