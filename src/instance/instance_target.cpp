// The target of a rule, built upon a finished source as the rewriter builds it upon a match.
#include <fmt/format.h>

#include <algorithm>

#include "instance/instance_state.h"
#include "rule/print.h"

namespace vouch {
namespace {

class TargetBuilder {
 public:
  explicit TargetBuilder(InstanceState& state)
      : state_(state), rule_(state.rule), made_(rule_.patterns.size(), kNoInstanceNode) {}

  void run() {
    state_.book.forget_indices();
    std::vector<InstanceNodeId> sources;
    for (PatternId output : rule_.source_outputs) {
      append_source_output(output, sources);
    }
    std::vector<InstanceNodeId> targets;
    for (std::size_t k = 0; k < rule_.target_outputs.size(); ++k) {
      PatternId output = rule_.target_outputs[k];
      const Pattern& p = rule_.pattern(output);
      bool expands = p.kind == PatternKind::Variadic && !rule_.in_source[output];
      auto family = state_.families.find(rule_.source_outputs[k]);
      if (family != state_.families.end() && expands) {
        if (!build_branches(output, family->second, targets)) {
          state_.instance.target_error = error_.empty() ? "the target has no value" : error_;
          return;
        }
        continue;
      }
      if (expands ? !build_items(output, {}, targets) : !build_one(output, targets)) {
        state_.instance.target_error = error_.empty() ? "the target has no value" : error_;
        return;
      }
    }
    pair_outputs(sources, targets);
  }

 private:
  void append_source_output(PatternId output, std::vector<InstanceNodeId>& out) const {
    auto found = state_.branches.find(output);
    if (found == state_.branches.end()) {
      out.push_back(state_.node_of[output]);
      return;
    }
    if (auto family = state_.families.find(output); family != state_.families.end()) {
      out.push_back(found->second[0][0]);
      if (family->second.has_first) {
        out.push_back(state_.node_of[rule_.pattern(output).first[0]]);
      }
      return;
    }
    for (const BranchNodes& branch : found->second) {
      out.push_back(branch[0]);
    }
  }

  // An output for each branch of a source variadic of symbolic length: for the one that stands for all, and for the first.
  bool build_branches(PatternId variadic, const FamilyOf& family, std::vector<InstanceNodeId>& items) {
    const Pattern& p = rule_.pattern(variadic);
    auto length = p.length == kNone ? std::optional(AttrValue(family.length)) : eval(p.length, {});
    if (!length || !length->number() || *length->number() != family.length) {
      return fail("as many results as there are branches are expected");
    }
    for (Term number : {int_var(family.index), Term(0)}) {
      if (number == Term(0) && !family.has_first) {
        continue;
      }
      forget(p);
      auto item = build(p.operands[0], {{p.index, number}});
      if (!item) {
        return false;
      }
      items.push_back(*item);
    }
    forget(p);
    return true;
  }

  bool build_one(PatternId output, std::vector<InstanceNodeId>& targets) {
    auto node = build(output, {});
    if (node) {
      targets.push_back(*node);
    }
    return node.has_value();
  }

  bool fail(std::string message) {
    if (error_.empty()) {
      error_ = std::move(message);
    }
    return false;
  }

  std::optional<AttrValue> eval(AttrId attr, const SymbolTerms& symbols) {
    return eval_symbolic(rule_, attr, symbols, state_.access_with(&made_));
  }

  bool build_items(PatternId variadic, const SymbolTerms& symbols, std::vector<InstanceNodeId>& items) {
    const Pattern& p = rule_.pattern(variadic);
    auto length = eval(p.length, symbols);
    auto count = length ? length->int64() : std::nullopt;
    if (!count || *count < 0) {
      return fail("the length of a variadic has no value: " + print_attr(rule_, p.length));
    }
    for (std::int64_t i = 0; i < *count; ++i) {
      SymbolTerms inner = symbols;
      inner.emplace_back(p.index, Term(i));
      forget(p);
      auto item = build(p.operands[0], inner);
      if (!item) {
        return false;
      }
      items.push_back(*item);
    }
    forget(p);
    return true;
  }

  void forget(const Pattern& variadic) {
    for (PatternId id : variadic.templates) {
      made_[id] = kNoInstanceNode;
    }
  }

  using Built = std::optional<InstanceNodeId>;

  Built build(PatternId id, const SymbolTerms& symbols) {
    if (rule_.in_source[id] && rule_.pattern(id).kind != PatternKind::Instance) {
      if (auto found = state_.branches.find(id); found != state_.branches.end() && !state_.families.contains(id)) {
        return branch_tuple(found->second);
      }
      Built node = state_.node_of[id] == kNoInstanceNode ? Built() : Built(state_.node_of[id]);
      return node ? node : (fail("the target uses a pattern that was not matched: " + print_pattern(rule_, id)), Built());
    }
    if (made_[id] != kNoInstanceNode) {
      return made_[id];
    }
    Built node = build_new(id, symbols);
    if (!node) {
      fail("this part of the target has no value: " + print_pattern(rule_, id));
      return std::nullopt;
    }
    made_[id] = *node;
    return node;
  }

  // A tuple of the target with an item for each branch.
  Built build_family(PatternId id, Term length, const SymbolTerms& symbols) {
    const Pattern& p = rule_.pattern(id);
    Symbol index = state_.book.fresh_index(length);
    SymbolTerms inner = symbols;
    inner.emplace_back(p.index, int_var(index));
    forget(p);
    auto item = build(p.operands[0], inner);
    forget(p);
    return item ? Built(state_.add_family(*item, index, length, true)) : std::nullopt;
  }

  Built branch_tuple(const std::vector<BranchNodes>& branches) {
    std::vector<InstanceNodeId> items;
    for (const BranchNodes& branch : branches) {
      items.push_back(branch[0]);
    }
    return state_.add_tuple(std::move(items), true);
  }

  Built build_new(PatternId id, const SymbolTerms& symbols) {
    const Pattern& p = rule_.pattern(id);
    switch (p.kind) {
      case PatternKind::Const: return build_constant(p, symbols);
      case PatternKind::Call: return build_call(p, symbols);
      case PatternKind::Tuple:
      case PatternKind::Variadic: return build_tuple(id, symbols);
      case PatternKind::Projection: return build_projection(p, symbols);
      case PatternKind::Instance: return state_.matched_instance(id, symbols, &made_);
      case PatternKind::Conditional: return build_conditional(p, symbols);
      case PatternKind::Alternative: return build(p.operands[0], symbols);
      case PatternKind::Wildcard:
      case PatternKind::Variable: fail("the target creates an input"); break;
    }
    return std::nullopt;
  }

  Built build_conditional(const Pattern& p, const SymbolTerms& symbols) {
    auto condition = symbolic_condition(rule_, p.selector, symbols, state_.access_with(&made_));
    auto known = condition ? const_bool(*condition) : std::nullopt;
    if (condition && !known) {
      state_.instance.unsupported = "a condition of the target that symbolic values leave open";
    }
    return known ? build(p.operands[*known ? 0 : 1], symbols) : std::nullopt;
  }

  Built build_call(const Pattern& p, const SymbolTerms& symbols) {
    std::vector<InstanceNodeId> operands;
    for (PatternId operand : p.operands) {
      Built built = operand == kNone ? Built(kNoInstanceNode) : build(operand, symbols);
      if (!built) {
        return std::nullopt;
      }
      operands.push_back(*built);
    }
    OpId op = p.op ? *p.op : state_.operators.at(p.op_variable);
    std::vector<AttrDict::Entry> entries;
    for (const PatternAttr& attr : p.attributes) {
      auto value = eval(attr.value, symbols);
      if (value && !is_any(*value)) {
        entries.emplace_back(attr.name, normal(std::move(*value)));
      } else if (!may_be_absent(op, attr)) {
        fail(fmt::format("attribute {} has no value: {}", attr.name.name(), print_attr(rule_, attr.value)));
        return std::nullopt;
      }
    }
    if (p.attributes_as != kNone && !add_same_attributes(p, symbols, entries)) {
      return std::nullopt;
    }
    AttrDict attributes(std::move(entries));
    Diagnostics diagnostics;
    if (!verify_call_form(op_def(op), operands.size(), state_.without_lists(attributes), std::string(op_def(op).name),
                          diagnostics)) {
      fail(diagnostics.all().empty() ? "ill-formed call" : diagnostics.all()[0].message);
      return std::nullopt;
    }
    std::vector<Type> typed;
    for (InstanceNodeId operand : operands) {
      typed.push_back(state_.type_of(operand));
    }
    auto made = legal_call(op, std::move(operands), attributes);
    if (auto* error = std::get_if<CallError>(&made)) {
      fail(fmt::format("{}: {}{}", op_def(op).name, error->text, mistyped_constant(p, typed)));
      return std::nullopt;
    }
    return std::get<InstanceNodeId>(made);
  }

  // What the call asks for has to hold in each branch that it is made for.
  MadeNode legal_call(OpId op, std::vector<InstanceNodeId> operands, const AttrDict& attributes) {
    std::vector<InstanceCondition> asked;
    auto made = state_.add_call(op, std::move(operands), attributes, true, asked);
    for (InstanceCondition& condition : asked) {
      condition.guard = state_.book.closed(condition.guard);
      state_.instance.obligations.push_back(std::move(condition));
    }
    return made;
  }

  // Said where a constant that the target makes stands beside an operand of another type.
  std::string mistyped_constant(const Pattern& p, const std::vector<Type>& operands) const {
    for (std::size_t k = 0; k < p.operands.size(); ++k) {
      const Pattern* operand = p.operands[k] == kNone ? nullptr : &rule_.pattern(p.operands[k]);
      bool made = operand != nullptr && operand->kind == PatternKind::Const && !rule_.in_source[p.operands[k]];
      bool differs = made && std::any_of(operands.begin(), operands.end(), [&](Type other) {
                       return other && other.is_tensor() && other.dtype() != operands[k].dtype();
                     });
      if (differs) {
        return fmt::format("; {} is of {}: a number alone (`x * 2`) takes the type of the other operand, or give its dtype",
                           print_pattern(rule_, p.operands[k]), dtype_name(operands[k].dtype()));
      }
    }
    return "";
  }

  // `* as p`: all that is not given equals what that call has.
  bool add_same_attributes(const Pattern& p, const SymbolTerms& symbols, std::vector<AttrDict::Entry>& entries) {
    Built like = build(p.attributes_as, symbols);
    if (!like) {
      return false;
    }
    for (const AttrDict::Entry& entry : state_.instance.nodes[*like].attributes.entries()) {
      bool given =
          std::any_of(p.attributes.begin(), p.attributes.end(), [&](const PatternAttr& a) { return a.name == entry.first; });
      if (!given) {
        entries.push_back(entry);
      }
    }
    return true;
  }

  // Truth values are numbers in attributes.
  static AttrValue normal(AttrValue value) {
    const Term* number = value.number();
    return number && number->sort() == Sort::Bool ? AttrValue(int_select(*number, 1, 0)) : value;
  }

  bool may_be_absent(OpId op, const PatternAttr& attr) const {
    AttrKind kind = rule_.attr(attr.value).kind;
    if (kind != AttrKind::Access) {
      return kind == AttrKind::Absent;
    }
    const auto& declared = op_def(op).attributes;
    return std::any_of(declared.begin(), declared.end(), [&](const AttrDef& d) {
      return d.name == attr.name.name() && std::holds_alternative<Absent>(d.otherwise);
    });
  }

  Built build_tuple(PatternId id, const SymbolTerms& symbols) {
    std::vector<InstanceNodeId> items;
    if (rule_.pattern(id).kind == PatternKind::Variadic) {
      auto length = state_.families.empty() ? std::nullopt : eval(rule_.pattern(id).length, symbols);
      if (length && length->number() && !is_const(*length->number())) {
        return build_family(id, *length->number(), symbols);
      }
      return build_items(id, symbols, items) ? Built(state_.add_tuple(std::move(items), true)) : std::nullopt;
    }
    for (PatternId item : rule_.pattern(id).operands) {
      Built built = build(item, symbols);
      if (!built) {
        return std::nullopt;
      }
      items.push_back(*built);
    }
    return state_.add_tuple(std::move(items), true);
  }

  Built build_projection(const Pattern& p, const SymbolTerms& symbols) {
    Built tuple = build(p.operands[0], symbols);
    auto value = p.attributes.empty() ? std::nullopt : eval(p.attributes[0].value, symbols);
    auto index = value ? value->int64() : std::nullopt;
    if (tuple && value && value->number() && value->number()->sort() == Sort::Int && is_counted(*tuple)) {
      auto piece = state_.family_piece(*tuple, *value->number(), true, state_.instance.obligations);
      if (auto* error = std::get_if<CallError>(&piece)) {
        fail(error->text);
        return std::nullopt;
      }
      return std::get<InstanceNodeId>(piece);
    }
    if (!tuple || !index || *index < 0) {
      return std::nullopt;
    }
    return state_.add_projection(*tuple, static_cast<std::uint32_t>(*index), true);
  }

  bool is_counted(InstanceNodeId id) const {
    InstanceNode::Kind kind = state_.instance.nodes[id].kind;
    return kind == InstanceNode::Kind::Family || kind == InstanceNode::Kind::Cut;
  }

  Built build_constant(const Pattern& p, const SymbolTerms& symbols) {
    std::optional<AttrValue> value;
    std::optional<AttrValue> dtype;
    std::optional<AttrValue> shape;
    for (const PatternAttr& attr : p.attributes) {
      auto found = eval(attr.value, symbols);
      if (!found) {
        fail(fmt::format("{} of a constant has no value: {}", attr.name.name(), print_attr(rule_, attr.value)));
        return std::nullopt;
      }
      (attr.name.name() == "dtype" ? dtype : attr.name.name() == "shape" ? shape : value) = normal(std::move(*found));
    }
    auto type = dtype && dtype->string() ? parse_dtype(*dtype->string()) : std::nullopt;
    return value && type ? state_.add_constant(*value, *type, shape ? &*shape : nullptr) : std::nullopt;
  }

  // --- outputs

  void pair_outputs(const std::vector<InstanceNodeId>& sources, const std::vector<InstanceNodeId>& targets) {
    if (sources.size() != targets.size()) {
      state_.instance.target_error = fmt::format("the target has {} results for {} outputs", targets.size(), sources.size());
      return;
    }
    for (std::size_t k = 0; k < sources.size(); ++k) {
      Type source = state_.instance.nodes[sources[k]].type;
      Type target = state_.instance.nodes[targets[k]].type;
      if (!agree(source, target, k)) {
        state_.instance.outputs.clear();
        for (std::size_t all = 0; all < sources.size(); ++all) {
          state_.instance.outputs.push_back({sources[all],
                                             targets[all],
                                             0,
                                             state_.instance.nodes[sources[all]].type,
                                             state_.instance.nodes[targets[all]].type,
                                             {},
                                             {}});
        }
        return;
      }
      std::vector<Type> source_parts = flat_types(source);
      std::vector<Type> target_parts = flat_types(target);
      for (std::size_t part = 0; part < source_parts.size(); ++part) {
        state_.instance.outputs.push_back({sources[k], targets[k], part, source_parts[part], target_parts[part], {}, {}});
      }
    }
  }

  bool agree(Type source, Type target, std::size_t output) {
    std::vector<Type> a = flat_types(source);
    std::vector<Type> b = flat_types(target);
    bool same = source.is_tuple() == target.is_tuple() && a.size() == b.size();
    for (std::size_t i = 0; same && i < a.size(); ++i) {
      same = a[i].dtype() == b[i].dtype() && a[i].rank() == b[i].rank();
    }
    if (!same) {
      state_.instance.target_error =
          fmt::format("result {} would have type {} where {} is wanted", output + 1, target.text(), source.text());
      return false;
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (std::size_t axis = 0; axis < a[i].rank(); ++axis) {
        Term equal = eq(a[i].extents()[axis], b[i].extents()[axis]);
        if (!is_true(equal)) {
          state_.instance.obligations.push_back({equal, fmt::format("output {}: the size of axis {} changes", output + 1, axis)});
        }
      }
    }
    return true;
  }

  InstanceState& state_;
  const Rule& rule_;
  std::vector<InstanceNodeId> made_;
  std::string error_;
};

}  // namespace

void build_target(InstanceState& state) { TargetBuilder(state).run(); }

}  // namespace vouch
