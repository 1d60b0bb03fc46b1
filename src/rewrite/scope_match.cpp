#include "rewrite/scope_match.h"

#include <algorithm>
#include <cmath>

#include "graph/contents.h"
#include "graph/default_attribute.h"
#include "graph/factors.h"
#include "rewrite/scope_terms.h"
#include "rule/element_condition.h"
#include "term/infinity.h"
#include "term/print.h"
#include "term/substitute.h"

namespace vouch {

FoundNodes::FoundNodes(const RulePlan& plan, const Match& match)
    : positions_(pattern_positions(*plan.rule)), single_(plan.rule->source_order.size(), kNoNode) {
  const Rule& rule = *plan.rule;
  for (PatternId id : rule.source_order) {
    if (plan.owner[id] == kNone && match.nodes[id] != kNoNode) {
      single_[positions_[id]] = match.nodes[id];
      all_.push_back({match.nodes[id], id, ScopeNode::kNoBranch});
    }
  }
  for (std::size_t f = 1; f < match.frames.size(); ++f) {
    const Match::Frame& frame = match.frames[f];
    const Pattern& variadic = rule.pattern(frame.variadic);
    ++counts_[positions_[frame.variadic]];
    for (std::size_t k = 0; k < variadic.templates.size(); ++k) {
      // A first instance stands among the patterns outside.
      bool named = frame.index == 0 && k < variadic.first.size() && variadic.first[k] != kNone;
      NodeId node = match.cells[frame.first_cell + k].node;
      if (!named && node != kNoNode) {
        std::uint32_t position = positions_[variadic.templates[k]];
        in_branches_[(std::uint64_t{position} << 32U) | frame.index] = node;
        all_.push_back({node, variadic.templates[k], frame.index});
      }
    }
  }
}

NodeId FoundNodes::at(std::uint32_t position, std::int64_t branch) const {
  if (branch == ScopeNode::kNoBranch) {
    return position < single_.size() ? single_[position] : kNoNode;
  }
  auto found = in_branches_.find((std::uint64_t{position} << 32U) | static_cast<std::uint64_t>(branch));
  return found == in_branches_.end() ? kNoNode : found->second;
}

std::int64_t FoundNodes::branches(std::uint32_t variadic) const {
  auto found = counts_.find(variadic);
  return found == counts_.end() ? 0 : found->second;
}

bool ScopeMatch::covers(const Scope& scope, std::optional<std::size_t> axis) {
  variables_.clear();
  items_.clear();
  later_.clear();
  types_.clear();
  scope_ = &scope;
  axis_ = axis;
  condition_.clear();
  agreed_ = 0;
  if (!is_sound(scope.proven) || (axis && !scope.axis_by_axis) || scope.axis_numbers != match_.axis_numbers) {
    return false;
  }
  for (const ScopeNode& node : scope.nodes) {
    index_ = node.branch == ScopeNode::kEveryBranch ? branch_index(node) : Symbol();
    if (!node_agrees(node)) {
      return false;
    }
    ++agreed_;
  }
  bool all = settle() && bounds_hold(scope) &&
             std::all_of(scope.conditions.begin(), scope.conditions.end(), [&](Term c) { return condition_holds(scope, c); }) &&
             std::all_of(scope.nodes.begin(), scope.nodes.end(), [&](const ScopeNode& node) { return every_holds(node); });
  return all && nothing_else_matched(scope);
}

bool ScopeMatch::may_cover(const Scope& scope) const {
  return is_sound(scope.proven) && std::all_of(scope.nodes.begin(), scope.nodes.end(), [&](const ScopeNode& node) {
           if (node.kind != ScopeNode::Kind::Input || node.branch != ScopeNode::kNoBranch || node.types.size() != 1) {
             return true;
           }
           NodeId at = found_.at(node.position, node.branch);
           return at != kNoNode && graph_.type(at).is_tensor() && graph_.type(at).rank() == node.types[0].extents.size();
         });
}

// The branch is one of the variadic that the template belongs to.
Symbol ScopeMatch::branch_index(const ScopeNode& node) const {
  Symbol index;
  for (const ScopeNode& instances : scope_->nodes) {
    bool of_it = instances.kind == ScopeNode::Kind::Instances &&
                 plan_.rule->source_order[instances.position] == plan_.owner[plan_.rule->source_order[node.position]];
    index = of_it ? instances.index : index;
  }
  return index;
}

std::span<const Term> ScopeMatch::extents_of(Type type) const {
  std::span<const Term> all = type.extents();
  if (!axis_) {
    return all;
  }
  return *axis_ < all.size() ? all.subspan(all.size() - 1 - *axis_, 1) : std::span<const Term>();
}

bool ScopeMatch::type_agrees(DType scope, DType found) {
  for (const auto& [type, stands_for] : types_) {
    if (type == scope) {
      return stands_for == found;
    }
    if (scope_->distinct_types && stands_for == found) {
      return false;
    }
  }
  if (!types_of(*scope_, scope).contains(found)) {
    return false;
  }
  types_.emplace_back(scope, found);
  return true;
}

// Whatever was matched is spoken of.
bool ScopeMatch::nothing_else_matched(const Scope& scope) const {
  return std::all_of(found_.all().begin(), found_.all().end(), [&](const FoundNode& found) {
    PatternKind kind = plan_.rule->pattern(found.pattern).kind;
    if (kind == PatternKind::Variadic || kind == PatternKind::Instance || kind == PatternKind::Projection) {
      return true;  // branches are counted; the others stand for nodes that the rule itself determines, or stand above
    }
    std::uint32_t position = found_.position(found.pattern);
    return std::any_of(scope.nodes.begin(), scope.nodes.end(), [&](const ScopeNode& node) {
      return node.position == position &&
             (node.branch == found.branch || (node.branch == ScopeNode::kEveryBranch && found.branch >= 0));
    });
  });
}

bool ScopeMatch::node_agrees(const ScopeNode& node) {
  if (node.kind == ScopeNode::Kind::Instances) {
    return instances_agree(node);
  }
  if (node.branch != ScopeNode::kEveryBranch) {
    number_.reset();
    NodeId at = found_.at(node.position, node.branch);
    return at != kNoNode &&
           (node.kind == ScopeNode::Kind::Choice ? choice_agrees(node, at, node.branch) : node_agrees_at(node, at));
  }
  for (const FoundNode& found : found_.all()) {
    if (found.branch < 0 || found_.position(found.pattern) != node.position) {
      continue;
    }
    number_ = Term(found.branch);
    bool agrees =
        node.kind == ScopeNode::Kind::Choice ? choice_agrees(node, found.node, found.branch) : node_agrees_at(node, found.node);
    if (!agrees) {
      return false;
    }
  }
  number_.reset();
  return true;
}

bool ScopeMatch::node_agrees_at(const ScopeNode& node, NodeId at) {
  switch (node.kind) {
    case ScopeNode::Kind::Input: return input_agrees(node, at);
    case ScopeNode::Kind::Call: return call_agrees(node, at);
    case ScopeNode::Kind::Tuple: return graph_.kind(at) == NodeKind::Tuple && graph_.operands(at).size() == node.count;
    case ScopeNode::Kind::Projection: return graph_.kind(at) == NodeKind::Projection && graph_.projection_index(at) == node.count;
    case ScopeNode::Kind::Choice:
    case ScopeNode::Kind::Instances: break;
  }
  return false;
}

bool ScopeMatch::instances_agree(const ScopeNode& node) {
  return node.length && meet(*node.length, Term(found_.branches(node.position)));
}

bool ScopeMatch::choice_agrees(const ScopeNode& node, NodeId at, std::int64_t branch) {
  const Pattern& choice = plan_.rule->pattern(plan_.rule->source_order[node.position]);
  if (node.count >= choice.operands.size()) {
    return false;
  }
  PatternId option = choice.operands[node.count];
  bool shared = plan_.owner[option] == kNone;
  return found_.at(found_.position(option), shared ? ScopeNode::kNoBranch : branch) == at;
}

bool ScopeMatch::input_agrees(const ScopeNode& node, NodeId at) {
  Type type = graph_.type(at);
  std::span<const Term> extents = type.is_tensor() ? extents_of(type) : std::span<const Term>();
  if (node.types.size() != 1 || !type.is_tensor() || extents.size() != node.types[0].extents.size() ||
      !type_agrees(node.types[0].dtype, type.dtype())) {
    return false;
  }
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (!meet(node.types[0].extents[axis], extents[axis])) {
      return false;
    }
  }
  return elements_agree(node, at);
}

bool ScopeMatch::elements_agree(const ScopeNode& node, NodeId at) {
  if (!node.elements && !node.fill && !node.list_element) {
    return true;
  }
  std::optional<std::vector<Term>> known = known_elements(graph_, at);
  if (!known) {
    // Of a list that is data only the number of its elements is known: it may be any list.
    return node.elements && !graph_.has_value(at) &&
           std::none_of(node.elements->begin(), node.elements->end(), [](Term t) { return is_const(t); });
  }
  bool each = axis_ && node.elements && node.elements->size() == 1;  // of a scalar in the scope; here it has other axes
  if (node.elements && !each && known->size() != node.elements->size()) {
    return false;
  }
  if (node.any_order && node.elements) {
    return same_numbers(*node.elements, *known);
  }
  if (node.axes_of_rank && node.elements) {
    return same_axes(*node.elements, *known, *node.axes_of_rank);
  }
  for (std::size_t k = 0; k < known->size(); ++k) {
    Term scope = node.elements ? (*node.elements)[each ? 0 : k]
                 : node.fill   ? *node.fill
                               : substitute(*node.list_element, node.list_index, Term(static_cast<std::int64_t>(k)));
    if (!meet(scope, (*known)[k])) {
      return false;
    }
  }
  return true;
}

bool ScopeMatch::call_agrees(const ScopeNode& node, NodeId at) {
  if (graph_.kind(at) != NodeKind::Call || graph_.op(at) != node.op) {
    return false;
  }
  std::vector<Type> types = tensor_types(graph_.type(at));
  for (std::size_t k = 0; k < node.types.size(); ++k) {
    if (k >= types.size() || extents_of(types[k]).size() != node.types[k].extents.size() ||
        !type_agrees(node.types[k].dtype, types[k].dtype())) {
      return false;
    }
  }
  const std::vector<AttrDef>& defs = op_def(node.op).attributes;
  if (node.attributes.size() != defs.size() || (!node.types.empty() && types.size() != node.types.size())) {
    return false;
  }
  for (std::size_t k = 0; k < defs.size(); ++k) {
    if (node.attributes[k].name != Symbol(defs[k].name) || !attribute_agrees(node.attributes[k], defs[k], at)) {
      return false;
    }
  }
  return true;
}

bool ScopeMatch::attribute_agrees(const ScopeAttribute& attr, const AttrDef& def, NodeId at) {
  const AttrValue* given = graph_.attributes(at).find(attr.name);
  const AttrValue* found = own_attribute(graph_, at, attr.name);
  const AttrTuple* items = attr.value.tuple();
  switch (attr.kind) {
    case ScopeAttribute::Kind::Absent: return given == nullptr || is_default(def, *given);
    case ScopeAttribute::Kind::Axes: return found != nullptr && same_axes(numbers(attr.value), numbers(*found), attr.rank);
    case ScopeAttribute::Kind::AnyOrder: return found != nullptr && same_numbers(numbers(attr.value), numbers(*found));
    case ScopeAttribute::Kind::AnyTuple: return given != nullptr && given->tuple() != nullptr;
    case ScopeAttribute::Kind::Value:
      if (found == nullptr) {
        return def.implied_if_absent ||
               (items != nullptr && def.each_if_absent && each_agrees(*items, Term(*def.each_if_absent)));
      }
      if (items != nullptr && found->number() != nullptr && def.type == AttrType::IntOrInts && def.length != AttrLength::Any) {
        return each_agrees(*items, *found->number());  // a number stands for each axis
      }
      return value_agrees(attr.value, *found);
  }
  return false;
}

std::vector<Term> ScopeMatch::numbers(const AttrValue& list) {
  std::vector<Term> out;
  for (const AttrValue& item : list.tuple() ? *list.tuple() : AttrTuple{list}) {
    out.push_back(item.number() ? *item.number() : Term(INT64_MAX));  // which is no axis
  }
  return out;
}

bool ScopeMatch::each_agrees(const AttrTuple& items, Term number) {
  return std::all_of(items.begin(), items.end(),
                     [&](const AttrValue& item) { return item.number() && meet(*item.number(), number); });
}

bool ScopeMatch::value_agrees(const AttrValue& scope, const AttrValue& found) {
  if (scope.number()) {
    return found.number() && meet(*scope.number(), *found.number());
  }
  if (const AttrTuple* items = scope.tuple()) {
    if (const Tensor* tensor = found.tensor()) {
      return element_agrees(*items, *tensor);
    }
    const AttrTuple* others = found.tuple();
    return others && std::equal(items->begin(), items->end(), others->begin(), others->end(),
                                [&](const AttrValue& a, const AttrValue& b) { return value_agrees(a, b); });
  }
  return scope.string() && found.string() && *scope.string() == *found.string();
}

// A tensor of one element is written as its element type and the element.
bool ScopeMatch::element_agrees(const AttrTuple& type_and_element, const Tensor& tensor) {
  auto elements = tensor.count() == 1 ? known_elements(tensor) : std::nullopt;
  return elements && type_and_element.size() == 2 && type_and_element[0].string() && type_and_element[1].number() &&
         *type_and_element[0].string() == dtype_name(tensor.dtype()) && meet(*type_and_element[1].number(), elements->front());
}

bool ScopeMatch::meet(Term scope, Term found) {
  if (number_) {
    scope = substitute(scope, index_, *number_);
  }
  // What a proof calls a number is one, an integer that a rule writes for a float too: infinity is met by itself alone.
  if (is_const(scope) && is_const(found)) {
    return scope == found || (scope.sort() != found.sort() && scope->value == found->value);
  }
  if (is_const(scope) || infinite_sign(scope) || infinite_sign(found)) {
    return scope == found;
  }
  auto bind = [&](Bindings& bound, Term name) {
    Term scalar = found.sort() == Sort::Int ? real_of(found) : found;
    return bound.add(name, scalar) == scalar;
  };
  switch (scope.kind()) {
    case TermKind::IntVar: return found.sort() == Sort::Int && variables_.add(scope, found) == found;
    case TermKind::RealVar: return bind(variables_, scope);
    case TermKind::Read: return bind(items_, scope);
    case TermKind::IntOf:
      if (scope.arg(0).kind() == TermKind::Read) {
        return found.sort() == Sort::Int && bind(items_, scope.arg(0));
      }
      break;
    case TermKind::RealDiv: return fraction_agrees(scope, found);
    case TermKind::IntMul:  // a negative number, by its size
      if (found.sort() == Sort::Int && const_int(scope.arg(0)) == -1 && scope == -scope.arg(1)) {
        return meet(scope.arg(1), -found);
      }
      break;
    default: break;
  }
  later_.emplace_back(scope, found);
  return true;
}

// Of whole numbers that are open, where operators take the number for that fraction.
bool ScopeMatch::fraction_agrees(Term quotient, Term found) {
  bool open = quotient.arg(0).kind() == TermKind::RealOf && quotient.arg(1).kind() == TermKind::RealOf;
  if (!open || found.kind() != TermKind::RealConst) {
    later_.emplace_back(quotient, found);
    return true;
  }
  return found->value > 0 && simple_fraction(found->value) == found->value &&
         meet(quotient.arg(0).arg(0), int_const(Integer(numerator(found->value)))) &&
         meet(quotient.arg(1).arg(0), int_const(Integer(denominator(found->value))));
}

bool ScopeMatch::settle() {
  return std::all_of(later_.begin(), later_.end(), [&](const std::pair<Term, Term>& pair) {
    auto scope = resolved(pair.first);
    return scope &&
           *scope == (scope->sort() == Sort::Real && pair.second.sort() == Sort::Int ? real_of(pair.second) : pair.second);
  });
}

std::optional<Term> ScopeMatch::resolved(Term term) const {
  Substitution replacements;
  for (Symbol name : free_variables(term)) {
    const Term* found = variables_.find(int_var(name));
    found = found == nullptr ? variables_.find(real_var(name)) : found;
    if (found == nullptr) {
      return std::nullopt;
    }
    replacements.emplace(name, *found);
  }
  Term with_numbers = substitute(term, replacements);
  bool all = true;
  Term out = replace_reads(with_numbers, [&](Symbol tensor, std::span<const Term> indices) -> std::optional<Term> {
    const Term* found = items_.find(read(tensor, {indices.begin(), indices.end()}));
    all = all && found != nullptr;
    return found == nullptr ? std::nullopt : std::optional(*found);
  });
  return all ? std::optional(out) : std::nullopt;
}

bool ScopeMatch::bounds_hold(const Scope& scope) {
  return std::all_of(scope.bounds.begin(), scope.bounds.end(), [&](const Scope::Bound& bound) {
    const Term* found = variables_.find(int_var(bound.symbol));
    bool holds = found != nullptr && holds_for_all_sizes(ge(*found, bound.least));
    condition_ = holds ? condition_ : print_term(ge(int_var(bound.symbol), bound.least));
    return holds;
  });
}

bool ScopeMatch::every_holds(const ScopeNode& node) {
  NodeId at = node.every.empty() ? kNoNode : found_.at(node.position, node.branch);
  return std::all_of(node.every.begin(), node.every.end(), [&](Term condition) {
    bool holds = false;
    if (at != kNoNode && graph_.has_value(at)) {
      // Its other variables take what was found; the element stays.
      Term element = is_float(graph_.value(at).dtype()) ? real_var(node.element) : int_var(node.element);
      variables_.add(element, element);
      auto here = resolved(condition);
      holds = here && every_element_meets(graph_.value(at), node.element, *here);
    }
    condition_ = holds ? condition_ : print_term(condition);
    return holds;
  });
}

bool ScopeMatch::holds_for_all_sizes(Term guard) {
  if (is_const(guard)) {
    return is_true(guard);
  }
  if (!sizes_) {
    sizes_.emplace(graph_);
  }
  return sizes_->hold(guard);
}

bool ScopeMatch::condition_holds(const Scope& scope, Term condition) {
  for (const Scope::Range& range : scope.ranges) {
    std::vector<Symbol> free = free_variables(condition);
    bool spoken_of = std::find(free.begin(), free.end(), range.index) != free.end();
    if (spoken_of && variables_.find(int_var(range.index)) == nullptr) {
      return holds_in_range(range, scope, condition);
    }
  }
  auto here = resolved(condition);
  bool holds = here && (is_true(*here) || holds_for_all_sizes(*here));
  condition_ = holds ? condition_ : print_term(condition);
  return holds;
}

bool ScopeMatch::holds_in_range(const Scope::Range& range, const Scope& scope, Term condition) {
  constexpr std::int64_t kMostValues = 4096;
  auto length = resolved(range.length);
  auto count = length ? const_int(*length) : std::nullopt;
  if (!count || *count > kMostValues) {
    condition_ = print_term(condition);
    return false;
  }
  for (std::int64_t value = range.from; value < *count; ++value) {
    if (!condition_holds(scope, substitute(condition, range.index, Term(value)))) {
      return false;
    }
  }
  return true;
}

}  // namespace vouch
