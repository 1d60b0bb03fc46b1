#include "rewrite/match.h"

#include "rewrite/machine.h"
#include "rule/element_condition.h"

namespace vouch {

std::uint32_t Match::frame_of(PatternId variadic, std::uint32_t frame) const {
  while (frame != 0 && frames[frame].variadic != variadic) {
    frame = frames[frame].outer;
  }
  return frame == 0 ? kNone : frame;
}

NodeId Match::find(const RulePlan& plan, PatternId pattern, std::uint32_t frame) const {
  PatternId owner = plan.owner[pattern];
  if (owner == kNone) {
    return nodes[pattern];
  }
  std::uint32_t home = frame_of(owner, frame);
  return home == kNone ? kNoNode : cells[frames[home].first_cell + plan.place[pattern]].node;
}

const std::vector<std::uint32_t>* Match::instances_of(const RulePlan& plan, PatternId variadic, std::uint32_t frame) const {
  PatternId owner = plan.owner[variadic];
  std::uint32_t list = kNone;
  if (owner == kNone) {
    list = lists[variadic];
  } else if (std::uint32_t home = frame_of(owner, frame); home != kNone) {
    list = cells[frames[home].first_cell + plan.place[variadic]].list;
  }
  return list == kNone ? nullptr : &instances[list];
}

Matcher::Matcher(const Graph& graph) : machine_(std::make_unique<MatchMachine>(graph)) {}
Matcher::~Matcher() = default;
Matcher::Matcher(Matcher&&) noexcept = default;

const Match* Matcher::match_at(const RulePlan& plan, NodeId first_output) {
  return machine_->run(plan, first_output) ? &machine_->match_ : nullptr;
}

void Matcher::begin_sweep() { machine_->begin_sweep(); }
void Matcher::note_new_node(NodeId node) { machine_->note_new_node(node); }
void Matcher::explain(bool on) { machine_->explain_ = on; }
const MatchFailure& Matcher::best_failure() const { return machine_->best_; }
const std::vector<NodeId>& Matcher::best_nodes() const { return machine_->best_nodes_; }

// The frame that an instance pattern selects, or kNone. Of a nested variadic the outer instance is selected first.
std::uint32_t MatchedAttributes::instance_frame(PatternId pattern, const SymbolEnv& symbols) const {
  const Rule& rule = *plan_->rule;
  std::vector<PatternId> path{pattern};
  while (rule.pattern(rule.pattern(path.back()).operands[0]).kind == PatternKind::Instance) {
    path.push_back(rule.pattern(path.back()).operands[0]);
  }
  std::uint32_t frame = frame_;
  while (!path.empty()) {
    const Pattern& p = rule.pattern(path.back());
    const Pattern& below = rule.pattern(p.operands[0]);
    PatternId variadic = below.kind == PatternKind::Instance ? below.operands[1] : p.operands[0];
    path.pop_back();
    auto selected = eval_attr(rule, p.selector, symbols, *this);
    std::int64_t index = selected ? selected->int64().value_or(-1) : -1;
    const std::vector<std::uint32_t>* instances = match_.instances_of(*plan_, variadic, frame);
    if (instances == nullptr || index < 0 || index >= static_cast<std::int64_t>(instances->size())) {
      return kNone;
    }
    frame = (*instances)[static_cast<std::size_t>(index)];
  }
  return frame;
}

NodeId MatchedAttributes::instance(PatternId pattern, const SymbolEnv& symbols) const {
  std::uint32_t frame = instance_frame(pattern, symbols);
  return frame == kNone ? kNoNode : match_.find(*plan_, plan_->rule->pattern(pattern).operands[1], frame);
}

std::optional<AttrValue> MatchedAttributes::access(PatternId pattern, Symbol name, const SymbolEnv& symbols) const {
  static const Symbol kLength("length");
  const Pattern& p = plan_->rule->pattern(pattern);
  if (p.kind == PatternKind::Variadic && name == kLength) {
    const std::vector<std::uint32_t>* instances = match_.instances_of(*plan_, pattern, frame_);
    return instances ? std::optional(AttrValue(static_cast<std::int64_t>(instances->size()))) : std::nullopt;
  }
  NodeId node = p.kind == PatternKind::Instance ? instance(pattern, symbols) : match_.find(*plan_, pattern, frame_);
  return node == kNoNode ? std::nullopt : node_attribute(graph_, node, name);
}

std::optional<Term> MatchedAttributes::any_element(PatternId constant) const {
  NodeId node = match_.find(*plan_, constant, frame_);
  bool known = node != kNoNode && graph_.has_value(node);
  return known ? std::optional(any_element_of({}, graph_.value(node).dtype())) : std::nullopt;
}

std::optional<Term> MatchedAttributes::of_every_element(PatternId constant, Term element, Term condition) const {
  NodeId node = match_.find(*plan_, constant, frame_);
  return bool_const(every_element_meets(graph_.value(node), element->symbol, condition));
}

}  // namespace vouch
