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
#include "graph/with_terms.h"
#include "instance/instance_state.h"
#include "support/fault.h"
#include "term/substitute.h"

namespace vouch {
namespace {

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
  node.type = with_terms(given.type, map);
  node.attributes = with_terms(given.attributes, map);
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
  if (cuts(op) && instance.nodes[operands[0]].type.is_tensor()) {
    return add_family_cut(op, operands, attributes, of_target, conditions);
  }
  if (joins(op) && operands.size() == 1 && instance.nodes[operands[0]].kind == InstanceNode::Kind::Family) {
    return add_family_join(op, operands[0], attributes, of_target, conditions);
  }
  return CallError{kNoForm, {}, false, {}};
}

MadeNode InstanceState::add_family_cut(OpId op, const std::vector<InstanceNodeId>& operands, AttrDict attributes, bool of_target,
                                       std::vector<InstanceCondition>& conditions) {
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

MadeNode InstanceState::add_family_join(OpId op, InstanceNodeId joined, AttrDict attributes, bool of_target,
                                        std::vector<InstanceCondition>& conditions) {
  const InstanceNode family = instance.nodes[joined];
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
  Type first = with_terms(item, [&](Term t) { return substitute(t, family.index, Term(0)); });
  InstanceNode node;
  node.lumps = {with_axis(first, *axis, *before), item, with_axis(first, *axis, *total - *before - size)};
  auto [typing, sizes] = typed_call(op, {Type::tuple(node.lumps)}, attributes, {nullptr});
  if (!typing->error.empty()) {
    return CallError{typing->error, {}, typing->undecided, typing->number_wanted};
  }
  for (const OpContext::Condition& condition : typing->conditions) {
    conditions.push_back({book.closed(condition.guard), fmt::format("{}: {}", op_def(op).name, condition.message)});
  }
  node.sizes = sizes;
  node.kind = InstanceNode::Kind::Call;
  node.op = op;
  node.operands = {joined};
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

}  // namespace vouch
