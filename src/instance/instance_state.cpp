#include "instance/instance_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "instance/held_contents.h"
#include "instance/stores.h"
#include "rule/element_condition.h"
#include "tensor/element.h"
#include "term/substitute.h"

namespace vouch {

InstanceState::InstanceState(const Rule& the_rule)
    : rule(the_rule),
      node_of(the_rule.patterns.size(), kNoInstanceNode),
      owner(the_rule.patterns.size(), kNone),
      place(the_rule.patterns.size()) {
  // The innermost variadic comes first: later ones enclose it.
  for (PatternId v = static_cast<PatternId>(rule.patterns.size()); v-- > 0;) {
    const Pattern& variadic = rule.pattern(v);
    if (variadic.kind == PatternKind::Variadic && rule.in_source[v]) {
      for (std::size_t k = 0; k < variadic.templates.size(); ++k) {
        owner[variadic.templates[k]] = v;
        place[variadic.templates[k]] = k;
      }
    }
  }
}

std::vector<Type> flat_types(Type type) {
  if (!type || type.is_tensor()) {
    return type ? std::vector<Type>{type} : std::vector<Type>{};
  }
  std::vector<Type> out;
  for (Type item : type.items()) {
    std::vector<Type> inner = flat_types(item);
    out.insert(out.end(), inner.begin(), inner.end());
  }
  return out;
}

InstanceNodeId InstanceState::add(InstanceNode node) {
  instance.nodes.push_back(std::move(node));
  return static_cast<InstanceNodeId>(instance.nodes.size() - 1);
}

InstanceNodeId InstanceState::add_tuple(std::vector<InstanceNodeId> items, bool of_target) {
  std::vector<Type> types;
  for (InstanceNodeId item : items) {
    types.push_back(instance.nodes[item].type);
  }
  InstanceNode node;
  node.kind = InstanceNode::Kind::Tuple;
  node.type = Type::tuple(std::move(types));
  node.operands = std::move(items);
  node.of_target = of_target;
  return add(std::move(node));
}

std::optional<InstanceNodeId> InstanceState::add_projection(InstanceNodeId tuple, std::uint32_t item, bool of_target) {
  Type type = instance.nodes[tuple].type;
  bool family = instance.nodes[tuple].kind == InstanceNode::Kind::Family || instance.nodes[tuple].kind == InstanceNode::Kind::Cut;
  if (family || !type.is_tuple() || item >= type.items().size()) {
    return std::nullopt;
  }
  if (instance.nodes[tuple].kind == InstanceNode::Kind::Tuple && of_target) {
    return instance.nodes[tuple].operands[item];
  }
  InstanceNode node;
  node.kind = InstanceNode::Kind::Projection;
  node.operands = {tuple};
  node.item = item;
  node.type = type.items()[item];
  node.of_target = of_target;
  return add(std::move(node));
}

namespace {

// Elements of all items of a tuple one after another, if all are known.
std::optional<std::vector<Term>> joined_contents(const Instance& instance, const InstanceNode& tuple) {
  std::vector<Term> all;
  for (InstanceNodeId item : tuple.operands) {
    const auto& known = instance.nodes[item].contents;
    if (!known) {
      return std::nullopt;
    }
    all.insert(all.end(), known->begin(), known->end());
  }
  return all;
}

}  // namespace

KnownOperands::KnownOperands(const Instance& instance, const std::vector<InstanceNodeId>& operands) {
  for (InstanceNodeId operand : operands) {
    const InstanceNode* node = operand == kNoInstanceNode ? nullptr : &instance.nodes[operand];
    types.push_back(node == nullptr ? Type() : node->type);
    if (node != nullptr && node->kind == InstanceNode::Kind::Tuple) {
      auto joined = joined_contents(instance, *node);
      contents.push_back(joined ? &joined_.emplace_back(std::move(*joined)) : nullptr);
    } else {
      contents.push_back(node != nullptr && node->contents ? &*node->contents : nullptr);
    }
  }
}

// The same call on the same operands: it is legal wherever the source is.
std::optional<InstanceNodeId> InstanceState::same_call_of_source(OpId op, const std::vector<InstanceNodeId>& operands,
                                                                 const AttrDict& attributes) const {
  for (InstanceNodeId id = 0; id < instance.nodes.size(); ++id) {
    const InstanceNode& node = instance.nodes[id];
    if (!node.of_target && node.kind == InstanceNode::Kind::Call && node.op == op && node.operands == operands &&
        node.attributes == attributes) {
      return id;
    }
  }
  return std::nullopt;
}

// Is there a size that only a run tells?
bool InstanceState::is_sized_by_data(const std::vector<Type>& results) const {
  auto is_known = [&](Symbol name) {
    return std::any_of(instance.symbols.begin(), instance.symbols.end(), [&](const FreeSymbol& s) { return s.name == name; });
  };
  return std::any_of(results.begin(), results.end(), [&](Type result) {
    return std::any_of(result.extents().begin(), result.extents().end(),
                       [&](Term size) { return size.kind() == TermKind::IntVar && !is_known(size->symbol); });
  });
}

// `Conv: pads must not be negative`: for every condition of every call of every instance.
static std::string said_by(const OpDef& def, std::string_view what) {
  std::string out;
  out.reserve(def.name.size() + 2 + what.size());
  return out.append(def.name).append(": ").append(what);
}

bool InstanceState::is_known_not_empty(Term size) const {
  if (auto item = as_family_item(size); item && book.is_at_least(item->name, 1)) {
    return true;
  }
  return std::any_of(
             instance.symbols.begin(), instance.symbols.end(),
             [&](const FreeSymbol& symbol) { return symbol.at_least.value_or(0) >= 1 && int_var(symbol.name) == size; }) ||
         std::any_of(instance.assumptions.begin(), instance.assumptions.end(),
                     [&](const InstanceCondition& condition) { return condition.guard == ge(size, 1); });
}

TypedCall InstanceState::typed_call(OpId op, const std::vector<Type>& types, AttrDict attributes,
                                    const KnownContents& contents) const {
  auto typing = type_call(op, types, attributes, contents);
  const std::vector<Term>& supposed = typing->supposed_not_empty;
  if (std::all_of(supposed.begin(), supposed.end(), [this](Term size) { return is_known_not_empty(size); })) {
    return {std::move(typing), SizeDomain::AtLeastOne};
  }
  return {type_call(op, types, attributes, contents, SizeDomain::AtLeastZero), SizeDomain::AtLeastZero};
}

MadeNode InstanceState::add_call(OpId op, std::vector<InstanceNodeId> operands, AttrDict attributes, bool of_target,
                                 std::vector<InstanceCondition>& conditions) {
  if (is_of_family(op, operands, attributes)) {
    return add_family_call(op, operands, attributes, of_target, conditions);
  }
  const OpDef& def = op_def(op);
  KnownOperands known(instance, operands);
  auto [typing, sizes] = typed_call(op, known.types, attributes, known.contents);
  if (!typing->error.empty()) {
    return CallError{typing->error, typing->blame, typing->undecided, typing->number_wanted};
  }
  if (auto same = of_target && !def.opaque ? same_call_of_source(op, operands, attributes) : std::nullopt;
      same && is_sized_by_data(typing->results)) {
    return *same;
  }
  for (const OpContext::Condition& condition : typing->conditions) {
    auto origin = condition.supposed ? InstanceCondition::Origin::Choice : InstanceCondition::Origin::Legality;
    conditions.push_back({condition.guard, said_by(def, condition.message), origin});
    if (condition.supposed && !of_target && !tried_otherwise.contains(condition.guard)) {
      taken_for_granted.push_back({condition.guard, said_by(def, condition.message)});
    }
  }
  if (of_target && !typing->data_condition.empty() && !same_call_of_source(op, operands, attributes)) {
    conditions.push_back({bool_const(false), fmt::format("{}: {}; it depends on data", def.name, typing->data_condition)});
  }
  for (Type result : typing->results) {
    for (Term extent : result.extents()) {
      if (Term legal = le(0, extent); !is_true(legal)) {
        conditions.push_back({legal, said_by(def, "a size must not be negative")});
      }
    }
  }
  InstanceNode node;
  node.kind = InstanceNode::Kind::Call;
  node.op = op;
  node.contents = def.several_results ? std::nullopt : held_contents(instance, stated, *typing, known.types, known.contents);
  node.operands = std::move(operands);
  node.attributes = attributes;
  node.type = def.several_results ? Type::tuple(typing->results) : typing->results[0];
  node.sizes = sizes;
  node.of_target = of_target;
  if (def.opaque && instance.unsupported.empty()) {
    instance.unsupported = fmt::format("{} has no kernel", def.name);
  }
  return add(std::move(node));
}

bool is_rounded(DType dtype, Term number) {
  bool is_number = is_float(dtype) && is_const(number) && number.sort() != Sort::Bool;
  return is_number && nearest_element(dtype, number->value) != std::optional(number->value);
}

std::optional<InstanceNodeId> InstanceState::add_constant(const AttrValue& value, DType dtype, const AttrValue* shape_given) {
  if (const ListFamily* list = book.list_of(value); list && dtype == DType::Int64 && !shape_given) {
    InstanceNode node;
    node.kind = InstanceNode::Kind::Constant;
    node.of_target = true;
    node.type = Type::tensor(dtype, {list->length});
    node.list = *list;
    return add(std::move(node));
  }
  if (!value.number() && !value.tuple()) {
    return std::nullopt;
  }
  AttrTuple items = value.tuple() ? *value.tuple() : AttrTuple{value};
  if (shape_given && !shape_given->tuple()) {
    return std::nullopt;
  }
  std::vector<Term> elements;
  bool rounded = false;
  for (const AttrValue& item : items) {
    if (!item.number() || item.number()->sort() == Sort::Bool) {
      return std::nullopt;
    }
    Term number = *item.number();
    rounded = rounded || is_rounded(dtype, number);
    auto nearest = is_const(number) ? nearest_element(dtype, number->value) : std::nullopt;
    Term element = nearest ? real_const(*nearest) : is_float(dtype) && number.sort() == Sort::Int ? real_of(number) : number;
    elements.push_back(is_float(dtype) ? constant_element_of(element) : element);
    if (!is_float(dtype) && elements.back().sort() != Sort::Int) {
      return std::nullopt;
    }
  }
  std::vector<Term> extents;
  if (shape_given) {
    for (const AttrValue& extent : *shape_given->tuple()) {
      if (!extent.number() || extent.number()->sort() != Sort::Int) {
        return std::nullopt;
      }
      extents.push_back(*extent.number());
    }
  } else if (value.tuple()) {
    extents = {Term(static_cast<std::int64_t>(items.size()))};
  }
  InstanceNode node;
  node.kind = InstanceNode::Kind::Constant;
  node.of_target = true;
  node.rounded = rounded;
  node.type = Type::tensor(dtype, extents);
  if (elements.size() == 1) {
    node.bodies = {{index_symbols(extents.size()), elements[0].sort() == Sort::Int ? real_of(elements[0]) : elements[0]}};
  } else if (shape_given) {
    return std::nullopt;
  }
  if (!shape_given) {
    node.contents = std::move(elements);
  }
  return add(std::move(node));
}

namespace {

std::optional<AttrValue> default_of(const OpDef& def, Symbol name) {
  for (const AttrDef& attr : def.attributes) {
    if (attr.name != name.name()) {
      continue;
    }
    if (const auto* whole = std::get_if<std::int64_t>(&attr.otherwise)) {
      return AttrValue(*whole);
    }
    if (const auto* number = std::get_if<double>(&attr.otherwise)) {
      return AttrValue::of_float(*number);
    }
    if (const auto* text = std::get_if<std::string_view>(&attr.otherwise)) {
      return AttrValue(std::string(*text));
    }
  }
  return std::nullopt;
}

// The elements of a constant: a number if it has rank 0, a tuple if it has rank 1.
std::optional<AttrValue> value_of(const InstanceNode& node, const Instance& instance) {
  if (node.kind == InstanceNode::Kind::Call || !node.type.is_tensor()) {
    return std::nullopt;
  }
  if (node.contents && node.type.rank() == 0) {
    return AttrValue(node.contents->front());
  }
  if (node.contents && node.type.rank() == 1) {
    return AttrValue(AttrTuple(node.contents->begin(), node.contents->end()));
  }
  if (node.kind == InstanceNode::Kind::Input && instance.inputs[node.input].fill && node.type.rank() == 0) {
    return AttrValue(*instance.inputs[node.input].fill);
  }
  return std::nullopt;
}

}  // namespace

std::optional<AttrValue> InstanceState::attribute(InstanceNodeId id, Symbol name) const {
  const InstanceNode& node = instance.nodes[id];
  bool counted = node.kind == InstanceNode::Kind::Family || node.kind == InstanceNode::Kind::Cut;
  if (counted && name == Symbol("length")) {
    return AttrValue(node.length);
  }
  bool has_attributes = node.kind == InstanceNode::Kind::Call || node.kind == InstanceNode::Kind::Cut ||
                        (node.kind == InstanceNode::Kind::Branch && !node.attributes.entries().empty());
  if (has_attributes) {
    if (const AttrValue* given = node.attributes.find(name)) {
      return *given;
    }
    if (auto otherwise = default_of(op_def(node.op), name)) {
      return otherwise;
    }
  }
  const std::string& word = name.name();
  if (node.type.is_tensor()) {
    if (word == "shape") {
      return AttrValue(AttrTuple(node.type.extents().begin(), node.type.extents().end()));
    }
    if (word == "rank") {
      return AttrValue(static_cast<std::int64_t>(node.type.rank()));
    }
    if (word == "dtype") {
      return AttrValue(std::string(dtype_name(node.type.dtype())));
    }
  } else if (word == "length") {
    return AttrValue(static_cast<std::int64_t>(node.type.items().size()));
  }
  if (word == "index" && node.kind == InstanceNode::Kind::Projection) {
    return AttrValue(static_cast<std::int64_t>(node.item));
  }
  if (word == "value" && node.list) {
    return const_cast<InstanceState*>(this)->book.list(*node.list);
  }
  return word == "value" ? value_of(node, instance) : std::nullopt;
}

std::optional<InstanceNodeId> InstanceState::matched_instance(PatternId pattern, const SymbolTerms& symbols,
                                                              const std::vector<InstanceNodeId>* made) const {
  const Pattern& p = rule.pattern(pattern);
  auto source = const_cast<InstanceState*>(this)->access_with(made);
  auto selected = eval_symbolic(rule, p.selector, symbols, source);
  auto index = selected ? selected->int64() : std::nullopt;
  auto found = branches.find(p.operands[0]);
  if (auto family = families.find(p.operands[0]); family != families.end()) {
    return matched_of_family(p, family->second, selected ? selected->number() : nullptr);
  }
  if (selected && selected->number() && !index) {
    source.not_expressible("a branch whose number depends on sizes");
  }
  if (!index || found == branches.end() || *index < 0 || *index >= static_cast<std::int64_t>(found->second.size())) {
    return std::nullopt;
  }
  InstanceNodeId node = found->second[static_cast<std::size_t>(*index)][place[p.operands[1]]];
  return node == kNoInstanceNode ? std::nullopt : std::optional(node);
}

// Any branch, by a term: each is like the one that stands for all.
std::optional<InstanceNodeId> InstanceState::matched_of_family(const Pattern& p, const FamilyOf& family,
                                                               const Term* number) const {
  std::size_t at = place[p.operands[1]];
  InstanceNodeId all = branches.at(p.operands[0])[0][at];
  if (number == nullptr || number->sort() != Sort::Int || all == kNoInstanceNode) {
    return std::nullopt;
  }
  const Pattern& variadic = rule.pattern(p.operands[0]);
  bool named = at < variadic.first.size() && variadic.first[at] != kNone;
  if (*number == Term(0) && family.has_first) {
    return named && node_of[variadic.first[at]] != kNoInstanceNode ? std::optional(node_of[variadic.first[at]]) : std::nullopt;
  }
  auto* self = const_cast<InstanceState*>(this);
  if (*number != int_var(family.index)) {
    self->instance.obligations.push_back({book.closed(in_range(*number, family.length)), "the number of a branch"});
    if (family.has_first) {
      self->asked.emplace_back(p.operands[0], at);
    }
  }
  return self->at_branch(all, family.index, *number);
}

InstanceNodeId InstanceState::field_node(PatternId variadic, std::size_t branch) const {
  PatternId field = rule.pattern(variadic).operands[0];
  // All branches may share what they yield: then it is no template.
  return owner[field] == variadic ? branches.at(variadic)[branch][place[field]] : node_of[field];
}

std::optional<AttrValue> InstanceState::access(PatternId pattern, Symbol name, const SymbolTerms& symbols,
                                               const std::vector<InstanceNodeId>* made) const {
  const Pattern& p = rule.pattern(pattern);
  if (p.kind == PatternKind::Instance) {
    auto node = matched_instance(pattern, symbols, made);
    return node ? attribute(*node, name) : std::nullopt;
  }
  if (made != nullptr && (*made)[pattern] != kNoInstanceNode) {
    return attribute((*made)[pattern], name);
  }
  if (node_of[pattern] != kNoInstanceNode) {
    return attribute(node_of[pattern], name);
  }
  if (auto family = families.find(pattern); family != families.end() && name == Symbol("length")) {
    return AttrValue(family->second.length);
  }
  if (auto found = branches.find(pattern); found != branches.end() && name == Symbol("length")) {
    return AttrValue(static_cast<std::int64_t>(found->second.size()));
  }
  return std::nullopt;
}

void InstanceState::note_not_covered(std::string_view why) {
  if (not_covered.empty()) {
    not_covered = why;
  }
}

std::optional<AttrValue> InstanceAttributes::access(PatternId pattern, Symbol name, const SymbolTerms& symbols) const {
  return state_.access(pattern, name, symbols, made_);
}

void InstanceAttributes::not_expressible(std::string_view what) const {
  if (made_ == nullptr) {  // in the target, what has no value is an error of the target
    state_.note_not_covered(what);
  }
}

const InputTensor* InstanceAttributes::input(PatternId constant) const {
  InstanceNodeId id = state_.node_of[constant];
  const InstanceNode* node = id == kNoInstanceNode ? nullptr : &state_.instance.nodes[id];
  return node != nullptr && node->kind == InstanceNode::Kind::Input && !node->list ? &state_.instance.inputs[node->input]
                                                                                   : nullptr;
}

std::optional<Term> InstanceAttributes::any_element(PatternId constant) const {
  const InputTensor* tensor = input(constant);
  if (tensor == nullptr) {
    not_expressible("what every element of a list of any length is");
    return std::nullopt;
  }
  return any_element_of(tensor->name.name(), tensor->type.dtype());
}

// Of known elements it is a condition on each; else it stays open, as one of those that `Instance::every` holds.
std::optional<Term> InstanceAttributes::of_every_element(PatternId constant, Term element, Term condition) const {
  const InputTensor& tensor = *input(constant);
  if (!tensor.contents && !tensor.fill) {
    return condition;
  }
  Term all = bool_const(true);
  for (Term known : tensor.contents ? *tensor.contents : std::vector<Term>{*tensor.fill}) {
    all = both(all, substitute(condition, element->symbol, known));
  }
  return all;
}

bool InstanceAttributes::divides_by(Term divisor) const {
  Term legal = state_.book.closed(ge(divisor, 1));
  bool said = std::any_of(state_.instance.obligations.begin(), state_.instance.obligations.end(),
                          [&](const InstanceCondition& c) { return c.guard == legal; });
  if (!said && !is_true(legal)) {
    state_.instance.obligations.push_back({legal, "a divisor in an attribute expression must be positive"});
  }
  return true;
}

InstanceAttributes InstanceState::access_with(const std::vector<InstanceNodeId>* made) { return {*this, made}; }

}  // namespace vouch
