// Adding nodes to a graph: each is typed, takes its position behind its operands, and notes what is known of its elements.
#include <fmt/format.h>

#include <algorithm>

#include "graph/contents.h"
#include "graph/graph.h"
#include "support/fault.h"

namespace vouch {
namespace {

// Of a tuple, the contents of all its items one after another.
std::optional<std::vector<Term>> joined_contents(const std::vector<std::optional<std::vector<Term>>>& items) {
  std::vector<Term> joined;
  for (const auto& item : items) {
    if (!item) {
      return std::nullopt;
    }
    joined.insert(joined.end(), item->begin(), item->end());
  }
  return items.empty() ? std::nullopt : std::optional(std::move(joined));
}

// Of a tensor whose contents are known, so its extents are.
std::size_t element_number(Type type) { return static_cast<std::size_t>(element_count(*type.concrete_extents()).value_or(0)); }

}  // namespace

NodeId Graph::push(const Node& form, std::span<const NodeId> operands) {
  auto id = static_cast<NodeId>(nodes_.size());
  ensure(id != kNoNode, "a graph has fewer than 2^32 - 1 nodes");
  ensure(operands_.size() + operands.size() < kNoNode, "a graph has fewer than 2^32 - 1 operands");
  Node& node = nodes_.push_back(form);
  node.first_operand = static_cast<std::uint32_t>(operands_.size());
  node.operand_count = static_cast<std::uint32_t>(operands.size());
  for (NodeId operand : operands) {
    operands_.push_back(operand);
    use_slots_.push_back(0);
  }
  for (std::uint32_t i = 0; i < operands.size(); ++i) {
    NodeId operand = operands[i];
    if (operand == kNoNode) {
      continue;
    }
    ensure(operand < id && is_live(operand), "operands exist before their user");
    node.position = std::max(node.position, nodes_[operand].position + position_step_);
    add_use(operand, id, i);
  }
  ++live_;
  return id;
}

NodeId Graph::add_input(std::string name, Type type) {
  Node node;
  node.kind = NodeKind::Input;
  node.type = type;
  NodeId id = push(node, {});
  inputs_.push_back(id);
  set_name(id, std::move(name));
  return id;
}

NodeId Graph::add_parameter(std::string name, Tensor value) {
  NodeId id = add_constant(std::move(value), std::move(name));
  nodes_[id].kind = NodeKind::Parameter;
  return id;
}

NodeId Graph::add_constant(Tensor value, std::string name) {
  Node node;
  node.kind = NodeKind::Constant;
  node.type = Type::tensor(value.dtype(), value.extents());
  node.payload = static_cast<std::uint32_t>(values_.size());
  auto known = contents_of(value);
  values_.push_back(std::move(value));
  NodeId id = push(node, {});
  if (known) {
    add_contents(id, std::move(*known));
  }
  if (!name.empty()) {
    set_name(id, std::move(name));
  }
  return id;
}

void Graph::add_contents(NodeId node, std::vector<Term> elements) {
  nodes_[node].has_contents = true;
  std::transform(elements.begin(), elements.end(), elements.begin(), [](Term element) { return for_sizes(element); });
  contents_.insert_or_assign(node, std::move(elements));
}

// Each condition once, however many calls assume it.
void Graph::add_conditions(const std::vector<OpContext::Condition>& conditions) {
  for (const OpContext::Condition& condition : conditions) {
    if (condition_guards_.insert(condition.guard).second) {
      conditions_.push_back(condition);
    }
  }
}

// The place where a call's typing is remembered, `known` if it is; null for calls that are typed anew each time.
Graph::TypingEntry* Graph::typing_entry(OpId op, std::span<const NodeId> operands, AttrDict attributes, bool& known) {
  constexpr std::size_t kEntries = 256;
  constexpr std::size_t kEntriesAtFirst = 16;  // there are many small graphs within graphs
  if (operands.size() > TypingEntry::kMostOperands) {
    return nullptr;
  }
  std::array<Type, TypingEntry::kMostOperands> types;
  std::size_t hash = std::hash<const void*>()(attributes.id()) + op;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i] != kNoNode) {
      if (nodes_[operands[i]].has_contents) {
        return nullptr;
      }
      types[i] = nodes_[operands[i]].type;
    }
    hash = (hash ^ std::hash<Type>()(types[i])) * 0x9e3779b97f4a7c15ULL;
  }
  if (typings_.size() < kEntries) {
    typings_.resize(nodes_.size() < kEntries ? kEntriesAtFirst : kEntries);
  }
  TypingEntry& entry = typings_[(hash >> 56) % typings_.size()];
  known = entry.op == op && entry.operand_count == operands.size() && entry.attributes == attributes && entry.operands == types;
  if (!known) {
    entry.op = op;
    entry.attributes = attributes;
    entry.operands = types;
    entry.operand_count = TypingEntry::kUnknown;
  }
  return &entry;
}

// Tensors of one element that a rule wrote as element type and number become tensors.
static AttrDict with_tensors(const OpDef& def, AttrDict attributes) {
  AttrDict out = attributes;
  for (const AttrDef& attr : def.attributes) {
    const AttrValue* value = attr.domain == AttrDomain::OneElement ? attributes.find(attr.name) : nullptr;
    const AttrTuple* both = value != nullptr ? value->tuple() : nullptr;
    auto dtype = both && both->size() == 2 && (*both)[0].string() ? parse_dtype(*(*both)[0].string()) : std::nullopt;
    if (dtype && (*both)[1].number() && is_const(*(*both)[1].number())) {
      Rational number = (*(*both)[1].number())->value;
      auto tensor = is_float(*dtype)
                        ? Tensor::of_doubles(*dtype, {1}, std::vector<double>{number.convert_to<double>()})
                        : Tensor::of_ints(*dtype, {1}, std::vector<std::int64_t>{floor_of(number).convert_to<std::int64_t>()});
      out = out.with(Symbol(attr.name), AttrValue(std::make_shared<const Tensor>(std::move(tensor))));
    }
  }
  return out;
}

NodeId Graph::add_call(OpId op, std::span<const NodeId> operands, AttrDict given, Diagnostics& diagnostics,
                       const std::string& place) {
  AttrDict attributes = given.entries().empty() ? given : with_tensors(op_def(op), given);
  Node node;
  node.kind = NodeKind::Call;
  node.op = op;
  node.attributes = attributes;
  bool known = false;
  TypingEntry* entry = typing_entry(op, operands, attributes, known);
  if (known) {
    node.type = entry->result;
    return push(node, operands);
  }
  const OpDef& def = op_def(op);
  std::vector<Type> types;
  KnownContents elements;
  for (NodeId operand : operands) {
    types.push_back(operand == kNoNode ? Type() : type(operand));
    elements.push_back(operand == kNoNode ? nullptr : contents(operand));
  }
  auto typing = type_call(op, types, attributes, elements);
  if (!typing->error.empty()) {
    std::string found;
    for (const Type& one : types) {
      found += (found.empty() ? "" : ", ") + one.text();
    }
    diagnostics.error_at(place, fmt::format("{}: {}", def.name, typing->error), "its operands are here: " + found);
    return kNoNode;
  }
  add_conditions(typing->conditions);
  node.type = for_sizes(def.several_results ? Type::tuple(typing->results) : typing->results[0]);
  auto joined = joined_contents(typing->contents);
  if (entry != nullptr && typing->reusable && typing->conditions.empty() && !joined) {
    entry->result = node.type;
    entry->operand_count = static_cast<std::uint16_t>(operands.size());
  }
  NodeId id = push(node, operands);
  if (joined) {
    add_contents(id, std::move(*joined));
  }
  return id;
}

NodeId Graph::add_tuple(std::span<const NodeId> items) {
  std::vector<Type> types;
  for (NodeId item : items) {
    types.push_back(type(item));
  }
  Node node;
  node.kind = NodeKind::Tuple;
  node.type = Type::tuple(std::move(types));
  NodeId id = push(node, items);
  if (!items.empty() && std::all_of(items.begin(), items.end(), [&](NodeId item) { return contents(item); })) {
    std::vector<Term> joined;
    for (NodeId item : items) {
      joined.insert(joined.end(), contents(item)->begin(), contents(item)->end());
    }
    add_contents(id, std::move(joined));
  }
  return id;
}

NodeId Graph::add_projection(NodeId tuple, std::uint32_t index) {
  ensure(type(tuple).is_tuple() && index < type(tuple).items().size(), "a projection selects an item of a tuple");
  Node node;
  node.kind = NodeKind::Projection;
  node.payload = index;
  node.type = type(tuple).items()[index];
  NodeId id = push(node, std::span(&tuple, 1));
  if (const std::vector<Term>* all = contents(tuple)) {
    std::size_t begin = 0;
    for (std::uint32_t k = 0; k < index; ++k) {
      begin += element_number(type(tuple).items()[k]);
    }
    auto first = all->begin() + static_cast<std::ptrdiff_t>(begin);
    std::vector<Term> own(first, first + static_cast<std::ptrdiff_t>(element_number(type(id))));
    add_contents(id, std::move(own));
  }
  return id;
}

}  // namespace vouch
