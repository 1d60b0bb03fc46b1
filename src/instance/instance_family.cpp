// Variadics of symbolic length: tuples of as many items as there are branches, and the operators that join
// and cut them.
//
// Two laws carry the operator table's meaning, which is for a known number of operands, to any number n >= 1
// of them:
//   op(x_0, …, x_{n-1}) == op(op(x_0, …, x_{k-1}), x_k, op(x_{k+1}, …, x_{n-1}))   of what joins (Concat),
//   for each k; piece k of a cut into sizes s_0, …, s_{n-1} is piece 1 of the cut into (s_0 + … + s_{k-1},
//   s_k, s_{k+1} + … + s_{n-1}).
// What stands before and after a branch may be empty. So a join is the table's operator on three operands,
// the middle one that in which an element lies; the proof has to show that it lies there, since of the others
// it knows their sizes alone. tests/unit/graph/branch_laws_test.cpp holds both laws against the interpreter.
#include <fmt/format.h>

#include <algorithm>

#include "facts/index_terms.h"
#include "instance/instance_state.h"
#include "support/fault.h"
#include "term/substitute.h"

namespace vouch {
namespace {

Type with_extents(Type type, const std::function<Term(Term)>& map) {
  std::vector<Term> extents;
  for (Term extent : type.extents()) {
    extents.push_back(map(extent));
  }
  return Type::tensor(type.dtype(), extents);
}

Type mapped_type(Type type, const std::function<Term(Term)>& map) {
  if (type.is_tensor()) {
    return with_extents(type, map);
  }
  std::vector<Type> items;
  for (Type item : type.items()) {
    items.push_back(mapped_type(item, map));
  }
  return Type::tuple(std::move(items));
}

AttrValue mapped_value(const AttrValue& value, const std::function<Term(Term)>& map) {
  if (value.number()) {
    return AttrValue(map(*value.number()));
  }
  if (!value.tuple()) {
    return value;
  }
  AttrTuple items;
  for (const AttrValue& item : *value.tuple()) {
    items.push_back(mapped_value(item, map));
  }
  return AttrValue(std::move(items));
}

Type with_axis(Type type, std::size_t axis, Term extent) {
  std::vector<Term> extents(type.extents().begin(), type.extents().end());
  extents[axis] = extent;
  return Type::tensor(type.dtype(), extents);
}

bool joins(OpId op) { return op_def(op).traits.along == Along::Join; }
bool cuts_by_sizes(OpId op) { return op_def(op).traits.along == Along::CutBySizes; }
bool cuts_at_points(OpId op) { return op_def(op).traits.along == Along::CutAtPoints; }
bool cuts(OpId op) { return cuts_by_sizes(op) || cuts_at_points(op); }

// The attribute that says where a tensor is cut.
Symbol points_of(OpId op) {
  for (const AttrDef& attr : op_def(op).attributes) {
    if (attr.domain == AttrDomain::Count) {
      return Symbol(attr.name);
    }
  }
  return {};
}

const AttrValue* sections_of(OpId op, const AttrDict& attributes) { return attributes.find(points_of(op)); }

// The attribute that says along which axis tensors are joined or cut.
const AttrDef& axis_attribute(OpId op) {
  const std::vector<AttrDef>& attributes = op_def(op).attributes;
  auto found =
      std::find_if(attributes.begin(), attributes.end(), [](const AttrDef& attr) { return attr.domain == AttrDomain::Axis; });
  ensure(found != attributes.end(), "what joins or cuts says along which axis");
  return *found;
}

const AttrValue* axis_given(OpId op, const AttrDict& attributes) { return attributes.find(axis_attribute(op).name); }

std::optional<CallError> axis_is_open(OpId op, const AttrDict& attributes) {
  const AttrValue* given = axis_given(op, attributes);
  if (!given || given->int64()) {
    return std::nullopt;
  }
  return CallError{
      fmt::format("attribute {} must be a number here", axis_attribute(op).name), {}, true, std::string(axis_attribute(op).name)};
}

std::optional<std::size_t> axis_of(OpId op, const AttrDict& attributes, std::size_t rank) {
  const AttrValue* given = axis_given(op, attributes);
  const auto* otherwise = std::get_if<std::int64_t>(&axis_attribute(op).otherwise);
  std::optional<std::int64_t> axis = given ? given->int64() : otherwise ? std::optional(*otherwise) : std::nullopt;
  auto size = static_cast<std::int64_t>(rank);
  if (!axis || *axis < -size || *axis >= size) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(*axis < 0 ? *axis + size : *axis);
}

constexpr const char* kNoForm = "branches of a symbolic number in a form that is not known";

}  // namespace

InstanceNodeId InstanceState::add_family(InstanceNodeId item, Symbol index, Term length, bool of_target) {
  InstanceNode node;
  node.kind = InstanceNode::Kind::Family;
  node.operands = {item};
  node.index = index;
  node.length = length;
  node.type = Type::tuple({instance.nodes[item].type});
  node.of_target = of_target;
  return add(std::move(node));
}

InstanceNodeId InstanceState::at_branch(InstanceNodeId id, Symbol index, Term branch) {
  if (branch == int_var(index)) {
    return id;
  }
  auto map = [&](Term t) { return substitute(t, index, branch); };
  const InstanceNode& given = instance.nodes[id];
  InstanceNode node;
  node.kind = InstanceNode::Kind::Branch;
  node.operands = {id};
  node.index = index;
  node.branch = branch;
  node.type = mapped_type(given.type, map);
  std::vector<AttrDict::Entry> entries;
  for (const AttrDict::Entry& entry : given.attributes.entries()) {
    entries.emplace_back(entry.first, mapped_value(entry.second, map));
  }
  node.attributes = AttrDict(std::move(entries));
  node.op = given.op;
  node.of_target = true;
  return add(std::move(node));
}

AttrDict InstanceState::without_lists(AttrDict attributes) const {
  AttrDict out = attributes;
  for (const AttrDict::Entry& entry : attributes.entries()) {
    if (book.list_of(entry.second)) {
      out = out.with(entry.first, AttrValue(AttrTuple{}));
    }
  }
  return out;
}

bool InstanceState::is_of_family(OpId op, const std::vector<InstanceNodeId>& operands, const AttrDict& attributes) const {
  bool family = std::any_of(operands.begin(), operands.end(), [&](InstanceNodeId id) {
    return id != kNoInstanceNode && (instance.nodes[id].kind == InstanceNode::Kind::Family || instance.nodes[id].list);
  });
  const AttrValue* sections = cuts_at_points(op) ? sections_of(op, attributes) : nullptr;
  bool symbolic = sections && (book.list_of(*sections) || (sections->number() && !is_const(*sections->number())));
  bool lists = std::any_of(attributes.entries().begin(), attributes.entries().end(),
                           [&](const AttrDict::Entry& entry) { return book.list_of(entry.second) != nullptr; });
  return family || lists || (symbolic && of_any_length);
}

MadeNode InstanceState::add_family_call(OpId op, const std::vector<InstanceNodeId>& operands, AttrDict attributes, bool of_target,
                                        std::vector<InstanceCondition>& conditions) {
  const OpDef& def = op_def(op);
  if (cuts(op) && instance.nodes[operands[0]].type.is_tensor()) {
    InstanceNode node;
    node.kind = InstanceNode::Kind::Cut;
    node.op = op;
    node.operands = operands;
    node.attributes = attributes;
    node.type = Type::tuple({});
    node.of_target = of_target;
    const AttrValue* sections = cuts_at_points(op) ? sections_of(op, attributes) : nullptr;
    const ListFamily* points = sections ? book.list_of(*sections) : nullptr;
    if (operands.size() == 2 && instance.nodes[operands[1]].list) {
      node.list = instance.nodes[operands[1]].list;
      node.length = node.list->length;
    } else if (points) {
      node.list = *points;
      node.length = points->length + 1;
    } else if (sections && sections->number()) {
      node.length = *sections->number();
    } else {
      return CallError{kNoForm, {}, false, {}};
    }
    Term length = node.length;
    InstanceNodeId id = add(std::move(node));
    // Every piece is legal, whichever are used: assumed of a source's, to be shown of a target's.
    Symbol number = of_target ? book.fresh_index(length) : Symbol(fmt::format("piece {}#", id));
    if (!of_target) {
      book.add_range(number, length, 0);
    }
    auto one = family_piece(id, int_var(number), of_target, conditions);
    if (auto* error = std::get_if<CallError>(&one)) {
      return *error;
    }
    return id;
  }
  if (!joins(op) || operands.size() != 1 || instance.nodes[operands[0]].kind != InstanceNode::Kind::Family) {
    return CallError{kNoForm, {}, false, {}};
  }
  const InstanceNode family = instance.nodes[operands[0]];
  Type item = instance.nodes[family.operands[0]].type;
  auto axis = item.is_tensor() ? axis_of(op, attributes, item.rank()) : std::nullopt;
  if (axis && family.operands.size() == 2) {
    Type other = instance.nodes[family.operands[1]].type;
    if (!other.is_tensor() || other.dtype() != item.dtype() || other.rank() != item.rank()) {
      return CallError{"items of different types", {}, false, {}};
    }
  }
  if (auto open = axis_is_open(op, attributes); !axis && open) {
    return *open;
  }
  if (!axis) {
    return CallError{kNoForm, {}, false, {}};
  }
  Term size = item.extents()[*axis];
  auto before = book.prefix_sum(family.index, size, int_var(family.index));
  auto total = book.prefix_sum(family.index, size, family.length);
  if (!before || !total) {
    return CallError{kNoForm, {}, false, {}};
  }
  Type first = with_extents(item, [&](Term t) { return substitute(t, family.index, Term(0)); });
  InstanceNode node;
  node.lumps = {with_axis(first, *axis, *before), item, with_axis(first, *axis, *total - *before - size)};
  auto [typing, sizes] = typed_call(op, {Type::tuple(node.lumps)}, attributes, {nullptr});
  if (!typing->error.empty()) {
    return CallError{typing->error, {}, typing->undecided, typing->number_wanted};
  }
  for (const OpContext::Condition& condition : typing->conditions) {
    conditions.push_back({book.closed(condition.guard), fmt::format("{}: {}", def.name, condition.message)});
  }
  node.sizes = sizes;
  node.kind = InstanceNode::Kind::Call;
  node.op = op;
  node.operands = operands;
  node.attributes = attributes;
  node.index = family.index;
  node.length = family.length;
  node.item = static_cast<std::uint32_t>(*axis);
  node.type = typing->results[0];
  node.of_target = of_target;
  bool settled =
      std::none_of(node.type.extents().begin(), node.type.extents().end(), [&](Term t) { return mentions(t, family.index); });
  if (!settled) {
    return CallError{kNoForm, {}, false, {}};
  }
  return add(std::move(node));
}

namespace {

// Where piece `number` begins and ends along the axis.
std::optional<std::pair<Term, Term>> ends_of_piece(FamilyBook& book, const InstanceNode& cut, Term extent, Term number) {
  if (!cut.list) {
    Term size = floor_div(extent, cut.length);
    return std::pair(number * size, number * size + size);
  }
  const Term* item = cut.list->item.number();
  if (!item) {
    return std::nullopt;
  }
  if (cuts_by_sizes(cut.op)) {
    auto begin = book.prefix_sum(cut.list->index, *item, number);
    return begin ? std::optional(std::pair(*begin, *begin + substitute(*item, cut.list->index, number))) : std::nullopt;
  }
  if (auto size = book.steps_of(cut.list->index, *item)) {
    Term begin = *book.prefix_sum(cut.list->index, *size, number);
    return std::pair(begin, begin + substitute(*size, cut.list->index, number));
  }
  // Between the points of its number less 1 and of its number; the first begins at 0, the last ends with the
  // axis.
  Term begin = int_select(eq(number, 0), 0, substitute(*item, cut.list->index, number - 1));
  Term end = int_select(eq(number, cut.length - 1), extent, substitute(*item, cut.list->index, number));
  return std::pair(begin, end);
}

}  // namespace

MadeNode InstanceState::family_piece(InstanceNodeId id, Term number, bool of_target, std::vector<InstanceCondition>& conditions) {
  const InstanceNode node = instance.nodes[id];
  conditions.push_back({book.closed(in_range(number, node.length)), "the number of an item"});
  if (node.kind == InstanceNode::Kind::Family) {
    return at_branch(node.operands[0], node.index, number);
  }
  Type type = instance.nodes[node.operands[0]].type;
  auto axis = axis_of(node.op, node.attributes, type.rank());
  if (auto open = axis_is_open(node.op, node.attributes)) {
    return *open;
  }
  auto ends = axis ? ends_of_piece(book, node, type.extents()[*axis], number) : std::nullopt;
  if (!ends) {
    return CallError{kNoForm, {}, false, {}};
  }
  Term extent = type.extents()[*axis];
  auto [begin, end] = *ends;
  if (!node.list) {
    conditions.push_back({divides(node.length, extent), fmt::format("{}: equal sections", op_def(node.op).name)});
  }
  if (node.list && cuts_at_points(node.op)) {  // points that are sums end where the axis does
    auto size = book.steps_of(node.list->index, *node.list->item.number());
    auto total = size ? book.prefix_sum(node.list->index, *size, node.length) : std::nullopt;
    if (total) {
      conditions.push_back({eq(*total, extent), "split: the pieces make up the axis"});
    }
  }
  std::vector<InstanceCondition> of_call;
  MadeNode call;
  if (cuts_by_sizes(node.op)) {
    Term total = *book.prefix_sum(node.list->index, *node.list->item.number(), node.length);
    auto sizes = add_constant(AttrValue(AttrTuple{begin, end - begin, total - end}), DType::Int64, nullptr);
    call = add_call(node.op, {node.operands[0], *sizes}, node.attributes, of_target, of_call);
  } else {
    AttrDict cut = node.attributes.with(points_of(node.op), AttrValue(AttrTuple{begin, end}));
    call = add_call(node.op, {node.operands[0]}, cut, of_target, of_call);
  }
  for (InstanceCondition& condition : of_call) {
    conditions.push_back({book.closed(condition.guard), condition.why});
  }
  if (auto* error = std::get_if<CallError>(&call)) {
    return *error;
  }
  return *add_projection(std::get<InstanceNodeId>(call), 1, of_target);
}

// --- branches of one kind

namespace {

bool alike(const Instance& instance, InstanceNodeId mine, InstanceNodeId other, const FamilyOf& family) {
  if (mine == other) {
    return true;
  }
  if (mine == kNoInstanceNode || other == kNoInstanceNode) {
    return false;
  }
  auto map = [&](Term t) { return substitute(t, family.other, int_var(family.index)); };
  const InstanceNode& a = instance.nodes[mine];
  const InstanceNode& b = instance.nodes[other];
  auto contents_alike = [&] {
    if (a.contents.has_value() != b.contents.has_value() || (a.contents && a.contents->size() != b.contents->size())) {
      return false;
    }
    for (std::size_t k = 0; a.contents && k < a.contents->size(); ++k) {
      if ((*a.contents)[k] != map((*b.contents)[k])) {
        return false;
      }
    }
    return true;
  };
  auto filled_alike = [&] {
    if (a.kind != InstanceNode::Kind::Input) {
      return true;
    }
    const auto& x = instance.inputs[a.input].fill;
    const auto& y = instance.inputs[b.input].fill;
    return x.has_value() == y.has_value() && (!x || *x == map(*y));
  };
  std::vector<AttrDict::Entry> entries;
  for (const AttrDict::Entry& entry : b.attributes.entries()) {
    entries.emplace_back(entry.first, mapped_value(entry.second, map));
  }
  return a.kind == b.kind && a.op == b.op && a.item == b.item && a.operands.size() == b.operands.size() &&
         a.type == mapped_type(b.type, map) && a.attributes == AttrDict(std::move(entries)) && contents_alike() && filled_alike();
}

}  // namespace

bool branches_are_alike(const InstanceState& state, PatternId variadic, const FamilyOf& family) {
  const auto& branches = state.branches.at(variadic);
  const BranchNodes& mine = branches[0];
  const BranchNodes& other = branches[1];
  for (std::size_t k = 0; k < mine.size(); ++k) {
    if (!alike(state.instance, mine[k], other[k], family)) {
      return false;
    }
    for (std::size_t l = 0; l < k; ++l) {
      if ((mine[k] == mine[l]) != (other[k] == other[l])) {  // an alternative that was taken otherwise
        return false;
      }
    }
  }
  return true;
}

// --- first instances

namespace {

// What is read of the first instance's inputs is read of the family's, at branch 0.
struct FirstBranch {
  Substitution sizes;
  std::map<Symbol, Symbol> tensors;               // the first's to the family's
  std::vector<std::pair<Term, Term>> equal = {};  // the family's, the first's: to be shown

  Term operator()(Term term) const {
    Term sized = substitute(term, sizes);
    return replace_reads(sized, [&](Symbol tensor, std::span<const Term> indices) -> std::optional<Term> {
      auto found = tensors.find(tensor);
      if (found == tensors.end()) {
        return std::nullopt;
      }
      std::vector<Term> at{0};
      at.insert(at.end(), indices.begin(), indices.end());
      return read(found->second, std::move(at));
    });
  }
};

const InputTensor* input_of(const Instance& instance, InstanceNodeId id) {
  bool is_input = id != kNoInstanceNode && instance.nodes[id].kind == InstanceNode::Kind::Input;
  const InputTensor* input = is_input ? &instance.inputs[instance.nodes[id].input] : nullptr;
  return input && !input->contents && !input->fill ? input : nullptr;
}

// False: the first instance differs in form. Two sizes of it may stand where the branches have one: they have to be equal.
bool add_input(FirstBranch& map, const InputTensor& first, const InputTensor& all, Symbol index) {
  bool taken = std::any_of(map.tensors.begin(), map.tensors.end(),
                           [&](const auto& entry) { return entry.second == all.name && entry.first != first.name; });
  if (first.type.dtype() != all.type.dtype() || first.type.rank() != all.type.rank() || taken) {
    return false;
  }
  map.tensors[first.name] = all.name;
  for (std::size_t axis = 0; axis < all.type.rank(); ++axis) {
    Term here = first.type.extents()[axis];
    Term there = substitute(all.type.extents()[axis], index, Term(0));
    auto item = as_family_item(there);
    bool stands_for_it = item && item->branch == Term(0) && here.kind() == TermKind::IntVar &&
                         std::none_of(map.sizes.begin(), map.sizes.end(),
                                      [&](const auto& entry) { return entry.second == there && entry.first != here->symbol; });
    if (stands_for_it) {
      map.sizes[here->symbol] = there;
    } else if (there != here) {
      map.equal.emplace_back(there, here);
    }
  }
  return true;
}

// As many sizes, which have to be equal.
bool add_sizes(FirstBranch& map, Type first, Type at_first) {
  if (!first.is_tensor() || !at_first.is_tensor()) {
    return mapped_type(first, map) == at_first;
  }
  for (std::size_t axis = 0; axis < std::min(first.rank(), at_first.rank()); ++axis) {
    map.equal.emplace_back(at_first.extents()[axis], first.extents()[axis]);
  }
  return first.rank() == at_first.rank() && first.dtype() == at_first.dtype();
}

// Templates, by place, of which the first instance stands for branch 0 of the family: those that were asked for by number, and
// what a variadic yields where it is taken as a whole.
std::vector<std::pair<PatternId, std::size_t>> taken_at_first(const InstanceState& state) {
  auto out = state.asked;
  for (const auto& [variadic, family] : state.families) {
    PatternId of = variadic, field = state.rule.pattern(variadic).operands[0];
    bool whole = std::any_of(state.rule.patterns.begin(), state.rule.patterns.end(), [&](const Pattern& p) {
      return p.kind != PatternKind::Instance && std::find(p.operands.begin(), p.operands.end(), of) != p.operands.end();
    });
    if (family.has_first && whole && state.owner[field] == variadic) {
      out.emplace_back(variadic, state.place[field]);
    }
  }
  return out;
}

}  // namespace

void unify_first_branches(const InstanceState& state, Instance& instance) {
  FirstBranch map;
  auto fail = [&] {
    if (instance.unsupported.empty()) {
      instance.unsupported = "first instances that differ in form from the other branches";
    }
  };
  auto nodes_of = [&](PatternId variadic, std::size_t place) {
    const Pattern& p = state.rule.pattern(variadic);
    bool named = place < p.first.size() && p.first[place] != kNone;
    return std::pair(named ? state.node_of[p.first[place]] : kNoInstanceNode, state.branches.at(variadic)[0][place]);
  };
  for (const auto& [variadic, family] : state.families) {
    for (std::size_t place = 0; family.has_first && place < state.rule.pattern(variadic).templates.size(); ++place) {
      auto [first, all] = nodes_of(variadic, place);
      const InputTensor* a = input_of(instance, first);
      const InputTensor* b = input_of(instance, all);
      if (a && b && !add_input(map, *a, *b, family.index)) {
        return fail();
      }
    }
  }
  auto taken = taken_at_first(state);
  if (map.tensors.empty() && taken.empty()) {
    return;
  }
  for (const auto& [variadic, place] : taken) {
    auto [first, all] = nodes_of(variadic, place);
    if (first == kNoInstanceNode || all == kNoInstanceNode) {
      return fail();
    }
    const auto& a = instance.nodes[first].bodies;
    const auto& b = instance.nodes[all].bodies;
    Symbol index = state.families.at(variadic).index;
    auto at_first = [&](Term t) { return map(substitute(t, index, Term(0))); };
    bool same =
        a.size() == b.size() && add_sizes(map, instance.nodes[first].type, mapped_type(instance.nodes[all].type, at_first));
    for (std::size_t k = 0; same && k < a.size(); ++k) {
      same = map(a[k].value) == at_first(b[k].value);
    }
    if (!same) {
      return fail();
    }
  }
  for (const auto& [there, here] : map.equal) {
    instance.obligations.push_back({eq(there, here), "a first instance has the sizes of the other branches"});
  }
  for (auto* conditions : {&instance.assumptions, &instance.obligations}) {
    for (InstanceCondition& condition : *conditions) {
      condition.guard = map(condition.guard);
    }
  }
  for (InstanceOutput& output : instance.outputs) {
    for (Type* type : {&output.source_type, &output.target_type}) {
      *type = mapped_type(*type, map);
    }
    for (Body* body : {&output.source_body, &output.target_body}) {
      body->value = map(body->value);
    }
  }
  for (FreeSymbol& symbol : instance.symbols) {
    if (auto found = map.sizes.find(symbol.name); found != map.sizes.end() && symbol.at_least) {
      instance.assumptions.push_back({ge(found->second, *symbol.at_least), "sizes are at least 1"});
    }
  }
}

}  // namespace vouch
