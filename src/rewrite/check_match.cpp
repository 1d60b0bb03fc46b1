#include "rewrite/check_match.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "rule/axes.h"
#include "rule/print.h"

namespace vouch {
namespace {

bool is_choice(const Pattern& p) { return p.kind == PatternKind::Alternative || p.kind == PatternKind::Conditional; }

class MatchCheck {
 public:
  MatchCheck(const Graph& graph, const RulePlan& plan, const Match& match, std::string& why)
      : graph_(graph), plan_(plan), rule_(*plan.rule), match_(match), attributes_(graph, &plan, match), why_(why) {}

  bool run() {
    if (!are_claimed(rule_, match_.axis_numbers)) {
      why_ = "these are no numbers of axes for its roles: " + axes_text(rule_, match_.axis_numbers);
      return false;
    }
    for (PatternId id : rule_.source_order) {
      if (plan_.owner[id] == kNone && match_.nodes[id] != kNoNode && !pattern_holds(id, 0, match_.nodes[id])) {
        return false;
      }
    }
    for (std::uint32_t frame = 1; frame < match_.frames.size(); ++frame) {
      if (!instance_holds(frame)) {
        return false;
      }
    }
    return outputs_agree() && constraints_hold() && inside_is_private() && makes_no_cycle();
  }

  std::vector<NodeId> inside() const {
    std::vector<NodeId> nodes(inside_.begin(), inside_.end());
    std::sort(nodes.begin(), nodes.end());
    return nodes;
  }

 private:
  bool refuse(PatternId id, const std::string& what) {
    why_ = fmt::format("{}: {}", print_pattern(rule_, id), what);
    return false;
  }

  SymbolEnv symbols_of(std::uint32_t frame) const {
    SymbolEnv symbols;
    for (; frame != 0; frame = match_.frames[frame].outer) {
      symbols.insert(symbols.begin(), {rule_.pattern(match_.frames[frame].variadic).index, match_.frames[frame].index});
    }
    return symbols;
  }

  // What a pattern stands for, seen from an instance.
  NodeId node_of(PatternId id, std::uint32_t frame) {
    if (id == kNone) {
      return kNoNode;
    }
    attributes_.set_frame(frame);
    return rule_.pattern(id).kind == PatternKind::Instance ? attributes_.instance(id, symbols_of(frame))
                                                           : match_.find(plan_, id, frame);
  }

  bool instance_holds(std::uint32_t frame) {
    const Match::Frame& f = match_.frames[frame];
    const Pattern& variadic = rule_.pattern(f.variadic);
    for (std::size_t k = 0; k < variadic.templates.size(); ++k) {
      NodeId node = match_.cells[f.first_cell + k].node;
      bool named = f.index == 0 && k < variadic.first.size() && variadic.first[k] != kNone;
      if (named ? node != node_of(variadic.first[k], f.outer)
                : node != kNoNode && !pattern_holds(variadic.templates[k], frame, node)) {
        return named ? refuse(variadic.first[k], "is not the first instance") : false;
      }
    }
    return true;
  }

  bool pattern_holds(PatternId id, std::uint32_t frame, NodeId node) {
    const Pattern& p = rule_.pattern(id);
    bool as_output = p.kind == PatternKind::Variadic &&
                     std::find(rule_.source_outputs.begin(), rule_.source_outputs.end(), id) != rule_.source_outputs.end();
    if (as_output) {
      return true;  // outputs_agree
    }
    if (!graph_.is_live(node) || !form_holds(id, frame, node)) {
      return why_.empty() ? refuse(id, fmt::format("'{}' has not this form", graph_.name(node))) : false;
    }
    if (!is_choice(p) && !plan_.is_input(id) && !inside_.insert(node).second) {
      return refuse(id, fmt::format("'{}' is matched twice", graph_.name(node)));
    }
    if (plan_.is_input(id)) {
      inputs_.push_back(node);
    }
    return attributes_hold(id, frame, node);
  }

  bool form_holds(PatternId id, std::uint32_t frame, NodeId node) {
    const Pattern& p = rule_.pattern(id);
    NodeKind kind = graph_.kind(node);
    switch (p.kind) {
      case PatternKind::Wildcard:
      case PatternKind::Instance: return true;
      case PatternKind::Const: return graph_.has_value(node);
      case PatternKind::Variable: return kind == NodeKind::Input || graph_.has_value(node);
      case PatternKind::Call: return kind == NodeKind::Call && operator_holds(id, node) && operands_hold(p, frame, node);
      case PatternKind::Tuple:
        return kind == NodeKind::Tuple && graph_.operands(node).size() == p.operands.size() && operands_hold(p, frame, node);
      case PatternKind::Projection: return kind == NodeKind::Projection && operands_hold(p, frame, node);
      case PatternKind::Variadic: return kind == NodeKind::Tuple && items_hold(id, frame, graph_.operands(node));
      case PatternKind::Alternative:
        return std::any_of(p.operands.begin(), p.operands.end(),
                           [&](PatternId option) { return node_of(option, frame) == node; });
      case PatternKind::Conditional: {
        attributes_.set_frame(frame);
        auto value = eval_attr(rule_, p.selector, symbols_of(frame), attributes_);
        auto condition = value ? value->int64() : std::nullopt;
        return condition && node_of(p.operands[*condition != 0 ? 0 : 1], frame) == node;
      }
    }
    return false;
  }

  bool operator_holds(PatternId id, NodeId node) const {
    const Pattern& p = rule_.pattern(id);
    OpId op = graph_.op(node);
    if (p.op) {
      return *p.op == op;
    }
    const OpDef& def = op_def(op);
    bool has_trait =
        p.trait == OpTrait::Any || (p.trait == OpTrait::Elementwise ? def.traits.elementwise : def.traits.commutative);
    return !def.opaque && has_trait && match_.operators[plan_.op_variable[id]] == op;
  }

  bool operands_hold(const Pattern& p, std::uint32_t frame, NodeId node) {
    std::span<const NodeId> operands = graph_.operands(node);
    if (operands.size() < p.operands.size()) {
      return false;
    }
    std::vector<NodeId> wanted;
    for (PatternId operand : p.operands) {
      wanted.push_back(node_of(operand, frame));
      if (operand != kNone && wanted.back() == kNoNode) {
        return false;
      }
    }
    wanted.resize(operands.size(), kNoNode);  // what a pattern does not mention is absent
    if (std::equal(wanted.begin(), wanted.end(), operands.begin())) {
      return true;
    }
    bool commutes = p.kind == PatternKind::Call && p.operands.size() == 2 && op_def(graph_.op(node)).traits.commutative;
    if (commutes) {
      std::swap(wanted[0], wanted[1]);
    }
    return commutes && std::equal(wanted.begin(), wanted.end(), operands.begin());
  }

  // The fields of a variadic's instances are these nodes, in order.
  bool items_hold(PatternId variadic, std::uint32_t frame, std::span<const NodeId> nodes) {
    const Pattern& p = rule_.pattern(variadic);
    const std::vector<std::uint32_t>* instances = match_.instances_of(plan_, variadic, frame);
    if (instances == nullptr || instances->size() != nodes.size() || nodes.size() < p.min_length) {
      return false;
    }
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      bool named = k == 0 && !p.first.empty();
      NodeId field = named ? node_of(p.first[0], frame) : node_of(p.operands[0], (*instances)[k]);
      if (match_.frames[(*instances)[k]].index != k || field != nodes[k]) {
        return false;
      }
    }
    return true;
  }

  bool attributes_hold(PatternId id, std::uint32_t frame, NodeId node) {
    const Pattern& p = rule_.pattern(id);
    SymbolEnv symbols = symbols_of(frame);
    attributes_.set_frame(frame);
    for (const PatternAttr& attr : p.attributes) {
      if (!attribute_holds(id, attr, node, symbols)) {
        return refuse(id, fmt::format("attribute {} of '{}' differs", attr.name.name(), graph_.name(node)));
      }
    }
    for (AttrId condition : p.conditions) {
      if (!holds(rule_, condition, symbols, attributes_)) {
        return refuse(id, "a condition does not hold: " + print_attr(rule_, condition));
      }
    }
    return p.attributes_as == kNone || other_attributes_hold(id, frame, node);
  }

  bool attribute_holds(PatternId id, const PatternAttr& attr, NodeId node, const SymbolEnv& symbols) {
    const Pattern& p = rule_.pattern(id);
    const AttrExpr& expr = rule_.attr(attr.value);
    if (expr.kind == AttrKind::Axes && only_names_axes(rule_, id, attr.name)) {
      auto found = node_attribute(graph_, node, attr.name);
      return found && names_axes(rule_, expr, *found, match_.axis_numbers);
    }
    if (expr.kind == AttrKind::Absent) {
      return leaves_out(graph_, node, attr.name);
    }
    auto wanted = eval_attr(rule_, attr.value, symbols, attributes_);
    if (p.kind == PatternKind::Const && attr.name.name() == "value" && wanted && wanted->number()) {
      return holds_only(graph_.value(node), *wanted);
    }
    auto value = node_attribute(graph_, node, attr.name);
    return value ? match_attr(rule_, attr.value, *value, symbols, attributes_) : !wanted && expr.kind == AttrKind::Access;
  }

  bool other_attributes_hold(PatternId id, std::uint32_t frame, NodeId node) {
    const Pattern& p = rule_.pattern(id);
    NodeId other = node_of(p.attributes_as, frame);
    if (other == kNoNode || graph_.kind(other) != NodeKind::Call || graph_.op(other) != graph_.op(node)) {
      return refuse(id, "there is no call whose attributes these are");
    }
    for (const AttrDef& declared : op_def(graph_.op(node)).attributes) {
      Symbol name(declared.name);
      bool given = std::any_of(p.attributes.begin(), p.attributes.end(), [&](const PatternAttr& a) { return a.name == name; });
      if (!given && node_attribute(graph_, node, name) != node_attribute(graph_, other, name)) {
        return refuse(id, fmt::format("attribute {} differs from that of '{}'", declared.name, graph_.name(other)));
      }
    }
    return true;
  }

  bool outputs_agree() {
    std::size_t at = 0;
    if (match_.output_counts.size() != rule_.source_outputs.size()) {
      return refuse(rule_.source_outputs[0], "the number of outputs differs");
    }
    for (std::size_t k = 0; k < rule_.source_outputs.size(); ++k) {
      PatternId output = rule_.source_outputs[k];
      std::size_t count = match_.output_counts[k];
      if (at + count > match_.outputs.size()) {
        return refuse(output, "the number of outputs differs");
      }
      std::span<const NodeId> nodes(match_.outputs.data() + at, count);
      bool variadic = rule_.pattern(output).kind == PatternKind::Variadic;
      if (variadic ? !items_hold(output, 0, nodes) : count != 1 || node_of(output, 0) != nodes[0]) {
        return refuse(output, "is not matched to the outputs that the step names");
      }
      at += count;
    }
    return at == match_.outputs.size() || refuse(rule_.source_outputs[0], "the number of outputs differs");
  }

  bool constraints_hold() {
    attributes_.set_frame(0);
    for (AttrId constraint : rule_.constraints) {
      if (!holds(rule_, constraint, {}, attributes_)) {
        why_ = "a condition does not hold: " + print_attr(rule_, constraint);
        return false;
      }
    }
    return true;
  }

  bool is_output(NodeId node) const {
    return std::find(match_.outputs.begin(), match_.outputs.end(), node) != match_.outputs.end();
  }

  bool inside_is_private() {
    for (NodeId node : inside_) {
      if (is_output(node)) {
        continue;
      }
      std::span<const Use> uses = graph_.uses(node);
      bool is_private = graph_.output_count(node) == 0 &&
                        std::all_of(uses.begin(), uses.end(), [&](const Use& use) { return inside_.contains(use.user); });
      if (!is_private) {
        why_ = fmt::format("'{}' is inside the match and used outside of it", graph_.name(node));
        return false;
      }
    }
    return true;
  }

  bool makes_no_cycle() {
    std::unordered_set<NodeId> seen;
    std::vector<NodeId> pending = match_.outputs.size() > 1 ? inputs_ : std::vector<NodeId>();
    while (!pending.empty()) {
      NodeId node = pending.back();
      pending.pop_back();
      if (node == kNoNode || !seen.insert(node).second) {
        continue;
      }
      if (inside_.contains(node)) {
        why_ = fmt::format("an input depends on '{}', which is replaced", graph_.name(node));
        return false;
      }
      std::span<const NodeId> operands = graph_.operands(node);
      pending.insert(pending.end(), operands.begin(), operands.end());
    }
    return true;
  }

  const Graph& graph_;
  const RulePlan& plan_;
  const Rule& rule_;
  const Match& match_;
  MatchedAttributes attributes_;
  std::string& why_;
  std::unordered_set<NodeId> inside_;
  std::vector<NodeId> inputs_;
};

}  // namespace

bool is_match(const Graph& graph, const RulePlan& plan, Match& match, std::string& why) {
  why.clear();
  MatchCheck check(graph, plan, match, why);
  bool holds = check.run();
  match.inside = check.inside();
  return holds;
}

}  // namespace vouch
