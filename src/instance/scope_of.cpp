#include "instance/scope_of.h"

#include <algorithm>

#include "facts/index_terms.h"
#include "rule/axes.h"

namespace vouch {
namespace {

class ScopeBuilder {
 public:
  explicit ScopeBuilder(const InstanceState& state)
      : state_(state), rule_(state.rule), instance_(state.instance), positions_(pattern_positions(rule_)) {}

  std::optional<Scope> run() {
    scope_.axis_numbers = state_.axis_numbers;
    scope_.nodes.reserve(rule_.source_order.size());
    for (PatternId id : rule_.source_order) {
      if (state_.owner[id] != kNone) {
        continue;
      }
      add(id, state_.node_of[id], ScopeNode::kNoBranch);
      if (rule_.pattern(id).kind == PatternKind::Variadic) {
        add_branches(id);
      }
    }
    for (const FreeSymbol& symbol : instance_.symbols) {
      if (symbol.at_least) {
        scope_.bounds.push_back({symbol.name, *symbol.at_least});
      }
    }
    for (const Families::Range& range : state_.book.families().ranges) {
      scope_.ranges.push_back({range.index, range.length, range.from});
    }
    for (const InstanceCondition& condition : instance_.assumptions) {
      if (condition.origin == InstanceCondition::Origin::Choice && !is_of_other_branch(condition.guard)) {
        scope_.conditions.push_back(condition.guard);
      }
    }
    return comparable_ ? std::optional(std::move(scope_)) : std::nullopt;
  }

 private:
  // The second branch of a family stands beside the first to show that branches are of one kind; a scope is for each branch.
  bool is_of_other_branch(Term guard) const {
    return std::any_of(state_.families.begin(), state_.families.end(),
                       [&](const auto& family) { return mentions(guard, family.second.other); });
  }

  void add_branches(PatternId variadic) {
    auto found = state_.branches.find(variadic);
    if (found == state_.branches.end()) {
      comparable_ = false;
      return;
    }
    const Pattern& p = rule_.pattern(variadic);
    auto family = state_.families.find(variadic);
    bool symbolic = family != state_.families.end();
    ScopeNode& instances = push(variadic, ScopeNode::Kind::Instances, ScopeNode::kNoBranch);
    instances.length = symbolic ? family->second.length : Term(static_cast<std::int64_t>(found->second.size()));
    instances.index = symbolic ? family->second.index : Symbol();
    // The first instances of a variadic are patterns outside of it.
    std::size_t from = symbolic || p.first.empty() ? 0 : 1;
    std::size_t to = symbolic ? 1 : found->second.size();
    for (std::size_t branch = from; branch < to; ++branch) {
      for (std::size_t k = 0; k < p.templates.size(); ++k) {
        add(p.templates[k], found->second[branch][k], symbolic ? ScopeNode::kEveryBranch : static_cast<std::int64_t>(branch));
      }
    }
  }

  // Item i of a tuple, in branch i.
  bool is_numbered_by_branch(PatternId projection) const {
    const Pattern& p = rule_.pattern(projection);
    PatternId variadic = state_.owner[projection];
    return variadic != kNone && std::any_of(p.attributes.begin(), p.attributes.end(), [&](const PatternAttr& attr) {
             const AttrExpr& index = rule_.attr(attr.value);
             return index.kind == AttrKind::Symbol && index.name == rule_.pattern(variadic).index;
           });
  }

  ScopeNode& push(PatternId id, ScopeNode::Kind kind, std::int64_t branch) {
    ScopeNode node;
    node.position = positions_[id];
    node.kind = kind;
    node.branch = branch;
    return scope_.nodes.emplace_back(std::move(node));
  }

  void add(PatternId id, InstanceNodeId at, std::int64_t branch) {
    if (at == kNoInstanceNode) {
      return;  // of an option that was not taken
    }
    const InstanceNode& node = instance_.nodes[at];
    const Pattern& p = rule_.pattern(id);
    switch (p.kind) {
      case PatternKind::Wildcard:
      case PatternKind::Variable:
      case PatternKind::Const: return add_input(id, node, branch);
      case PatternKind::Call: return add_call(id, node, branch);
      case PatternKind::Tuple:
        push(id, ScopeNode::Kind::Tuple, branch).count = static_cast<std::uint32_t>(p.operands.size());
        return;
      case PatternKind::Projection:
        // The piece of a family has the number of its branch, as the rule says and the matcher has compared.
        if (node.kind == InstanceNode::Kind::Projection && !(branch == ScopeNode::kEveryBranch && is_numbered_by_branch(id))) {
          push(id, ScopeNode::Kind::Projection, branch).count = node.item;
        }
        return;
      case PatternKind::Alternative:
      case PatternKind::Conditional: return add_choice(id, at, branch);
      case PatternKind::Variadic:
      case PatternKind::Instance: return;  // its branches; what it names
    }
  }

  void add_input(PatternId id, const InstanceNode& node, std::int64_t branch) {
    ScopeNode& out = push(id, ScopeNode::Kind::Input, branch);
    if (node.kind != InstanceNode::Kind::Input || !node.type.is_tensor()) {
      comparable_ = false;
      return;
    }
    const InputTensor& input = instance_.inputs[node.input];
    out.types.push_back({node.type.dtype(), node.type.extents()});
    out.elements = input.contents;
    set_axes(id, out);
    out.fill = input.fill;
    for (const ElementCondition& condition : instance_.every) {
      if (condition.input == node.input) {
        out.every.push_back(condition.guard);
        out.element = condition.element;
      }
    }
    if (node.list) {
      const Term* element = node.list->item.number();
      comparable_ = comparable_ && element != nullptr;
      out.list_element = element ? std::optional(*element) : std::nullopt;
      out.list_index = node.list->index;
    }
  }

  // What the elements of a list of axes stand for: themselves, themselves in any order, or a set of axes of the one call that
  // takes them.
  void set_axes(PatternId id, ScopeNode& out) const {
    AxisForm form = out.elements ? form_of_operand(rule_, id) : AxisForm::Full;
    out.any_order = form == AxisForm::AnyOrder && !has_companions(id);
    for (PatternId user = 0; form == AxisForm::Canonical && user < rule_.patterns.size(); ++user) {
      const Pattern& p = rule_.pattern(user);
      auto at = std::find(p.operands.begin(), p.operands.end(), id);
      InstanceNodeId call = at == p.operands.end() ? kNoInstanceNode : state_.node_of[user];
      if (call != kNoInstanceNode && rule_.in_source[user]) {
        const OperandDef& operand = op_def(*p.op).operands[static_cast<std::size_t>(at - p.operands.begin())];
        out.axes_of_rank = rank_of_axes(instance_.nodes[call], operand.domain == OperandDomain::NewAxes, out.elements->size());
      }
    }
  }

  // Lists beside these axes follow their order, so one order is not another.
  bool has_companions(PatternId id) const {
    return std::any_of(rule_.patterns.begin(), rule_.patterns.end(), [&](const Pattern& p) {
      return p.op && op_def(*p.op).traits.lists_alike && std::find(p.operands.begin(), p.operands.end(), id) != p.operands.end();
    });
  }

  void add_call(PatternId id, const InstanceNode& node, std::int64_t branch) {
    ScopeNode& out = push(id, ScopeNode::Kind::Call, branch);
    if (node.kind != InstanceNode::Kind::Call && node.kind != InstanceNode::Kind::Cut) {
      comparable_ = false;
      return;
    }
    out.op = node.op;
    for (Type type : node.kind == InstanceNode::Kind::Cut ? std::vector<Type>() : flat_types(node.type)) {
      out.types.push_back({type.dtype(), type.extents()});
    }
    for (const AttrDef& attr : op_def(node.op).attributes) {
      out.attributes.push_back(attribute(attr, node.attributes));
      ScopeAttribute& added = out.attributes.back();
      auto form = added.kind == ScopeAttribute::Kind::Value ? form_of_axes(id, attr) : std::nullopt;
      if (form && *form != AxisForm::Full) {
        bool canonical = *form == AxisForm::Canonical;
        added.kind = canonical ? ScopeAttribute::Kind::Axes : ScopeAttribute::Kind::AnyOrder;
        added.rank = canonical ? rank_of_axes(node, attr.domain == AttrDomain::NewAxes, length_of(added.value)) : 0;
      }
    }
  }

  ScopeAttribute attribute(const AttrDef& attr, const AttrDict& given) {
    ScopeAttribute out{Symbol(attr.name), ScopeAttribute::Kind::Absent, {}};
    if (const AttrValue* value = given.find(attr.name)) {
      bool list = state_.book.list_of(*value) != nullptr;
      out.kind = list ? ScopeAttribute::Kind::AnyTuple : ScopeAttribute::Kind::Value;
      out.value = list ? AttrValue() : *value;
      comparable_ = comparable_ && (list || is_comparable(*value));
    }
    return out;
  }

  // Of such an attribute one list is tried for all that name the same axes, or for all orders of one list.
  std::optional<AxisForm> form_of_axes(PatternId id, const AttrDef& attr) const {
    bool set = attr.domain == AttrDomain::Axes || attr.domain == AttrDomain::NewAxes;
    const auto& given = rule_.pattern(id).attributes;
    bool demanded = std::any_of(given.begin(), given.end(), [&](const PatternAttr& a) {
      // The axes of a role are matched as those that are named, whatever their order.
      bool named = rule_.attr(a.value).kind == AttrKind::Axes && only_names_axes(rule_, id, a.name);
      return a.name == Symbol(attr.name) && rule_.attr(a.value).kind != AttrKind::Any && !named;
    });
    return set && !demanded ? std::optional(form_of_attribute(rule_, state_.looked_at, id, Symbol(attr.name))) : std::nullopt;
  }

  static std::size_t length_of(const AttrValue& value) { return value.tuple() ? value.tuple()->size() : 1; }

  std::uint32_t rank_of_axes(const InstanceNode& call, bool of_result, std::size_t count) const {
    Type first = call.operands.empty() || call.operands[0] == kNoInstanceNode ? Type() : instance_.nodes[call.operands[0]].type;
    std::size_t rank = first.is_tensor() ? first.rank() : 0;
    return static_cast<std::uint32_t>(of_result ? rank + count : rank);
  }

  bool is_comparable(const AttrValue& value) const {
    if (const AttrTuple* items = value.tuple()) {
      return std::all_of(items->begin(), items->end(), [&](const AttrValue& item) { return is_comparable(item); });
    }
    return value.number() != nullptr || (value.string() != nullptr && state_.book.list_of(value) == nullptr);
  }

  void add_choice(PatternId id, InstanceNodeId at, std::int64_t branch) {
    const std::vector<PatternId>& options = rule_.pattern(id).operands;
    for (std::size_t k = 0; k < options.size(); ++k) {
      if (node_in(options[k], branch) == at) {
        push(id, ScopeNode::Kind::Choice, branch).count = static_cast<std::uint32_t>(k);
        return;
      }
    }
    comparable_ = false;
  }

  InstanceNodeId node_in(PatternId id, std::int64_t branch) const {
    if (branch == ScopeNode::kNoBranch || state_.owner[id] == kNone) {
      return state_.node_of[id];
    }
    const std::vector<BranchNodes>& branches = state_.branches.at(state_.owner[id]);
    return branches[branch == ScopeNode::kEveryBranch ? 0 : static_cast<std::size_t>(branch)][state_.place[id]];
  }

  const InstanceState& state_;
  const Rule& rule_;
  const Instance& instance_;
  std::vector<std::uint32_t> positions_;
  Scope scope_;
  bool comparable_ = true;
};

}  // namespace

std::optional<Scope> scope_of(const InstanceState& state) { return ScopeBuilder(state).run(); }

}  // namespace vouch
