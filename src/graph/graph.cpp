#include "graph/graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/contents.h"
#include "support/fault.h"

namespace vouch {

NodeId Graph::push(Node node, std::span<const NodeId> operands) {
  auto id = static_cast<NodeId>(nodes_.size());
  ensure(id != kNoNode, "a graph has fewer than 2^32 - 1 nodes");
  node.first_operand = static_cast<std::uint32_t>(operands_.size());
  node.operand_count = static_cast<std::uint32_t>(operands.size());
  for (std::uint32_t i = 0; i < operands.size(); ++i) {
    NodeId operand = operands[i];
    operands_.push_back(operand);
    use_slots_.push_back(0);
    ensure(operand == kNoNode || (operand < id && is_live(operand)), "operands exist before their user");
    if (operand != kNoNode) {
      node.position = std::max(node.position, nodes_[operand].position + position_step_);
    }
  }
  nodes_.push_back(std::move(node));
  for (std::uint32_t i = 0; i < operands.size(); ++i) {
    if (operands[i] != kNoNode) {
      add_use(operands[i], id, i);
    }
  }
  ++live_;
  return id;
}

NodeId Graph::add_input(std::string name, Type type) {
  Node node;
  node.kind = NodeKind::Input;
  node.type = type;
  NodeId id = push(std::move(node), {});
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
  NodeId id = push(std::move(node), {});
  if (known) {
    contents_.emplace(id, std::move(*known));
  }
  if (!name.empty()) {
    set_name(id, std::move(name));
  }
  return id;
}

// Of a tuple, the contents of all its items one after another.
static std::optional<std::vector<Term>> joined_contents(const std::vector<std::optional<std::vector<Term>>>& items) {
  std::vector<Term> joined;
  for (const auto& item : items) {
    if (!item) {
      return std::nullopt;
    }
    joined.insert(joined.end(), item->begin(), item->end());
  }
  return items.empty() ? std::nullopt : std::optional(std::move(joined));
}

NodeId Graph::add_call(OpId op, std::span<const NodeId> operands, AttrDict attributes, Diagnostics& diagnostics,
                       const std::string& place) {
  const OpDef& def = op_def(op);
  std::vector<Type> types;
  KnownContents known;
  for (NodeId operand : operands) {
    types.push_back(operand == kNoNode ? Type() : type(operand));
    known.push_back(operand == kNoNode ? nullptr : contents(operand));
  }
  auto typing = type_call(op, types, attributes, known);
  if (!typing->error.empty()) {
    diagnostics.error_at(place, fmt::format("{}: {}", def.name, typing->error));
    return kNoNode;
  }
  conditions_.insert(conditions_.end(), typing->conditions.begin(), typing->conditions.end());
  Node node;
  node.kind = NodeKind::Call;
  node.op = op;
  node.attributes = attributes;
  node.type = def.several_results ? Type::tuple(typing->results) : typing->results[0];
  NodeId id = push(std::move(node), operands);
  if (auto joined = joined_contents(typing->contents)) {
    contents_.emplace(id, std::move(*joined));
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
  NodeId id = push(std::move(node), items);
  if (!items.empty() && std::all_of(items.begin(), items.end(), [&](NodeId item) { return contents(item); })) {
    std::vector<Term> joined;
    for (NodeId item : items) {
      joined.insert(joined.end(), contents(item)->begin(), contents(item)->end());
    }
    contents_.emplace(id, std::move(joined));
  }
  return id;
}

// Of a tensor whose contents are known, so its extents are.
static std::size_t element_number(Type type) {
  return static_cast<std::size_t>(element_count(*type.concrete_extents()).value_or(0));
}

NodeId Graph::add_projection(NodeId tuple, std::uint32_t index) {
  ensure(type(tuple).is_tuple() && index < type(tuple).items().size(), "a projection selects an item of a tuple");
  Node node;
  node.kind = NodeKind::Projection;
  node.payload = index;
  node.type = type(tuple).items()[index];
  NodeId id = push(std::move(node), std::span(&tuple, 1));
  if (const std::vector<Term>* all = contents(tuple)) {
    std::size_t begin = 0;
    for (std::uint32_t k = 0; k < index; ++k) {
      begin += element_number(type(tuple).items()[k]);
    }
    auto first = all->begin() + static_cast<std::ptrdiff_t>(begin);
    std::vector<Term> own(first, first + static_cast<std::ptrdiff_t>(element_number(type(id))));
    contents_.emplace(id, std::move(own));
  }
  return id;
}

void Graph::add_output(std::string name, NodeId node) {
  ++nodes_[node].outputs;
  outputs_.push_back({std::move(name), node});
}

void Graph::set_output(std::size_t position, NodeId node) {
  --nodes_[outputs_[position].node].outputs;
  ++nodes_[node].outputs;
  outputs_[position].node = node;
}

void Graph::set_name(NodeId node, std::string name) {
  ids_.insert_or_assign(name, node);
  names_.insert_or_assign(node, std::move(name));
}

bool Graph::has_value(NodeId node) const {
  return kind(node) == NodeKind::Parameter || kind(node) == NodeKind::Constant;
}

std::span<const NodeId> Graph::operands(NodeId node) const {
  const Node& n = nodes_[node];
  return std::span(operands_).subspan(n.first_operand, n.operand_count);
}

std::span<const Use> Graph::uses(NodeId node) const { return nodes_[node].uses; }

std::string Graph::name(NodeId node) const {
  if (auto found = names_.find(node); found != names_.end()) {
    return found->second;
  }
  switch (kind(node)) {
    case NodeKind::Call:
      return fmt::format("{}_{}", op_def(op(node)).name, node);
    case NodeKind::Tuple:
      return fmt::format("tuple_{}", node);
    case NodeKind::Projection:
      return fmt::format("{}.{}", name(operands(node)[0]), projection_index(node));
    case NodeKind::Constant:
      return fmt::format("constant_{}", node);
    case NodeKind::Parameter:
    case NodeKind::Input:
    case NodeKind::Erased:
      break;
  }
  return fmt::format("node_{}", node);
}

std::optional<NodeId> Graph::find_name(std::string_view name) const {
  auto found = ids_.find(std::string(name));
  return found != ids_.end() && is_live(found->second) ? std::optional(found->second) : std::nullopt;
}

const std::vector<Term>* Graph::contents(NodeId node) const {
  if (contents_.empty()) {
    return nullptr;
  }
  auto found = contents_.find(node);
  return found == contents_.end() ? nullptr : &found->second;
}

void Graph::add_use(NodeId used, NodeId user, std::uint32_t position) {
  std::vector<Use>& uses = nodes_[used].uses;
  use_slots_[nodes_[user].first_operand + position] = static_cast<std::uint32_t>(uses.size());
  uses.push_back({user, position});
}

void Graph::remove_use(NodeId used, NodeId user, std::uint32_t position) {
  std::vector<Use>& uses = nodes_[used].uses;
  std::uint32_t slot = use_slots_[nodes_[user].first_operand + position];
  const Use last = uses.back();
  uses[slot] = last;
  use_slots_[nodes_[last.user].first_operand + last.operand] = slot;
  uses.pop_back();
}

// Restores that users stand behind the node, as far as it takes.
void Graph::raise_positions(NodeId node) {
  std::vector<NodeId> pending{node};
  while (!pending.empty()) {
    NodeId next = pending.back();
    pending.pop_back();
    for (const Use& use : nodes_[next].uses) {
      if (nodes_[use.user].position <= nodes_[next].position) {
        nodes_[use.user].position = nodes_[next].position + 1;
        pending.push_back(use.user);
      }
    }
  }
}

void Graph::set_operand(NodeId user, std::uint32_t position, NodeId operand) {
  NodeId& slot = operands_[nodes_[user].first_operand + position];
  if (slot == operand) {
    return;
  }
  if (slot != kNoNode) {
    remove_use(slot, user, position);
  }
  slot = operand;
  if (operand != kNoNode) {
    add_use(operand, user, position);
    raise_positions(operand);
  }
}

void Graph::replace_uses(NodeId old, NodeId replacement) {
  ensure(type(old) == type(replacement), "a node is replaced by one of its type");
  if (old == replacement) {
    return;
  }
  std::vector<Use> moved = std::move(nodes_[old].uses);
  nodes_[old].uses.clear();
  for (const Use& use : moved) {
    operands_[nodes_[use.user].first_operand + use.operand] = replacement;
    add_use(replacement, use.user, use.operand);
  }
  raise_positions(replacement);
  if (nodes_[old].outputs != 0) {
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      if (outputs_[i].node == old) {
        set_output(i, replacement);
      }
    }
  }
}

void Graph::erase(NodeId node) {
  Node& n = nodes_[node];
  ensure(n.kind != NodeKind::Erased && n.uses.empty() && n.outputs == 0, "only an unused node is erased");
  for (std::uint32_t i = 0; i < n.operand_count; ++i) {
    if (NodeId operand = operands_[n.first_operand + i]; operand != kNoNode) {
      remove_use(operand, node, i);
    }
  }
  if (has_value(node)) {
    values_[n.payload] = Tensor(DType::Bool, {0});
  }
  n.kind = NodeKind::Erased;
  n.operand_count = 0;
  --live_;
}

void Graph::erase_dead(NodeId node) {
  std::vector<NodeId> pending{node};
  while (!pending.empty()) {
    NodeId next = pending.back();
    pending.pop_back();
    const Node& n = nodes_[next];
    if (n.kind == NodeKind::Erased || n.kind == NodeKind::Input || !n.uses.empty() || n.outputs != 0) {
      continue;
    }
    std::vector<NodeId> operands(this->operands(next).begin(), this->operands(next).end());
    erase(next);
    for (NodeId operand : operands) {
      if (operand != kNoNode) {
        pending.push_back(operand);
      }
    }
  }
}

}  // namespace vouch
