#include "graph/graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/fault.h"

namespace vouch {

Graph::Graph(const Graph& other)
    : nodes_(other.nodes_),
      operands_(other.operands_),
      use_slots_(other.use_slots_),
      values_(other.values_),
      inputs_(other.inputs_),
      outputs_(other.outputs_),
      output_places_(other.output_places_),
      names_(other.names_),
      ids_(other.ids_),
      contents_(other.contents_),
      conditions_(other.conditions_),
      condition_guards_(other.condition_guards_),
      typings_(other.typings_),
      live_(other.live_),
      position_step_(other.position_step_) {
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    nodes_[id].uses.unshare(use_pool_);
  }
}

Graph& Graph::operator=(const Graph& other) {
  if (this != &other) {
    *this = Graph(other);
  }
  return *this;
}

Graph& Graph::operator=(Graph&& other) noexcept {
  Graph old(std::move(other));
  swap(old);
  return *this;
}

void Graph::swap(Graph& other) noexcept {
  std::swap(nodes_, other.nodes_);
  use_pool_.swap(other.use_pool_);
  std::swap(operands_, other.operands_);
  std::swap(use_slots_, other.use_slots_);
  std::swap(values_, other.values_);
  std::swap(inputs_, other.inputs_);
  std::swap(outputs_, other.outputs_);
  std::swap(output_places_, other.output_places_);
  std::swap(names_, other.names_);
  std::swap(ids_, other.ids_);
  std::swap(contents_, other.contents_);
  std::swap(conditions_, other.conditions_);
  std::swap(condition_guards_, other.condition_guards_);
  std::swap(typings_, other.typings_);
  std::swap(live_, other.live_);
  std::swap(position_step_, other.position_step_);
}

Graph::~Graph() {
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    nodes_[id].uses.clear(use_pool_);
  }
}

void Graph::add_output(std::string name, NodeId node) {
  ++nodes_[node].outputs;
  output_places_[node].push_back(static_cast<std::uint32_t>(outputs_.size()));
  outputs_.push_back({std::move(name), node});
}

void Graph::set_output(std::size_t position, NodeId node) {
  NodeId old = outputs_[position].node;
  --nodes_[old].outputs;
  ++nodes_[node].outputs;
  std::erase(output_places_[old], position);
  output_places_[node].push_back(static_cast<std::uint32_t>(position));
  outputs_[position].node = node;
}

void Graph::set_name(NodeId node, std::string name) {
  ids_.insert_or_assign(name, node);
  names_.insert_or_assign(node, std::move(name));
  nodes_[node].has_name = true;
}

std::string Graph::name(NodeId node) const {
  if (nodes_[node].has_name) {
    return names_.at(node);
  }
  switch (kind(node)) {
    case NodeKind::Call: return fmt::format("{}_{}", op_def(op(node)).name, node);
    case NodeKind::Tuple: return fmt::format("tuple_{}", node);
    case NodeKind::Projection: return fmt::format("{}.{}", name(operands(node)[0]), projection_index(node));
    case NodeKind::Constant: return fmt::format("constant_{}", node);
    case NodeKind::Parameter:
    case NodeKind::Input:
    case NodeKind::Erased: break;
  }
  return fmt::format("node_{}", node);
}

std::optional<NodeId> Graph::find_name(std::string_view name) const {
  auto found = ids_.find(std::string(name));
  return found != ids_.end() && is_live(found->second) ? std::optional(found->second) : std::nullopt;
}

const std::vector<Term>* Graph::contents(NodeId node) const { return nodes_[node].has_contents ? &contents_.at(node) : nullptr; }

void Graph::add_use(NodeId used, NodeId user, std::uint32_t position) {
  UseList& uses = nodes_[used].uses;
  use_slots_[nodes_[user].first_operand + position] = uses.size();
  uses.push_back({user, position}, use_pool_);
}

void Graph::remove_use(NodeId used, NodeId user, std::uint32_t position) {
  UseList& uses = nodes_[used].uses;
  std::uint32_t slot = use_slots_[nodes_[user].first_operand + position];
  const Use last = uses.back();
  uses[slot] = last;
  use_slots_[nodes_[last.user].first_operand + last.operand] = slot;
  uses.pop_back();
}

// Restores that a user stands behind its new operand, and its users behind it, as far as it takes.
void Graph::raise_positions(NodeId user, std::uint64_t above) {
  if (nodes_[user].position > above) {
    return;
  }
  nodes_[user].position = above + 1;
  std::vector<NodeId> pending{user};
  while (!pending.empty()) {
    NodeId next = pending.back();
    pending.pop_back();
    for (const Use& use : nodes_[next].uses.view()) {
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
    raise_positions(user, nodes_[operand].position);
  }
}

void Graph::redirect(Use use, NodeId replacement) {
  ensure(type(operands_[nodes_[use.user].first_operand + use.operand]) == type(replacement),
         "a node is replaced by one of its type");
  set_operand(use.user, use.operand, replacement);
}

void Graph::set_body(NodeId call, Symbol attribute, std::shared_ptr<const Graph> body) {
  const AttrValue* known = kind(call) == NodeKind::Call ? attributes(call).find(attribute) : nullptr;
  ensure(known != nullptr && known->graph() != nullptr, "a body replaces a body");
  nodes_[call].attributes = attributes(call).with(attribute, AttrValue(std::move(body)));
}

void Graph::replace_outputs(NodeId old, NodeId replacement) {
  if (nodes_[old].outputs == 0) {
    return;
  }
  std::vector<std::uint32_t> places = std::move(output_places_[old]);
  output_places_.erase(old);
  std::vector<std::uint32_t>& added = output_places_[replacement];
  for (std::uint32_t place : places) {
    outputs_[place].node = replacement;
    added.push_back(place);
  }
  nodes_[old].outputs = 0;
  nodes_[replacement].outputs += static_cast<std::uint32_t>(places.size());
}

void Graph::replace_uses(NodeId old, NodeId replacement) {
  ensure(type(old) == type(replacement), "a node is replaced by one of its type");
  if (old == replacement) {
    return;
  }
  UseList moved = nodes_[old].uses;  // and with it, what it holds
  nodes_[old].uses = UseList();
  for (const Use& use : moved.view()) {
    operands_[nodes_[use.user].first_operand + use.operand] = replacement;
    add_use(replacement, use.user, use.operand);
    raise_positions(use.user, nodes_[replacement].position);
  }
  moved.clear(use_pool_);
  replace_outputs(old, replacement);
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
  if (n.has_contents) {
    contents_.erase(node);
    n.has_contents = false;
  }
  n.uses.clear(use_pool_);
  n.kind = NodeKind::Erased;
  n.operand_count = 0;
  --live_;
}

void Graph::revert(const Mark& mark) {
  for (std::size_t id = nodes_.size(); id-- > mark.nodes;) {
    auto node = static_cast<NodeId>(id);
    if (is_live(node)) {
      erase(node);
    }
    if (auto named = names_.find(node); named != names_.end()) {
      ids_.erase(named->second);
      names_.erase(named);
    }
  }
  nodes_.shrink(mark.nodes);
  operands_.resize(mark.operands);
  use_slots_.resize(mark.operands);
  values_.resize(mark.values, Tensor(DType::Bool, {0}));
  for (std::size_t k = mark.conditions; k < conditions_.size(); ++k) {
    condition_guards_.erase(conditions_[k].guard);
  }
  conditions_.resize(mark.conditions);
}

void Graph::erase_dead(NodeId node) {
  std::vector<NodeId>& pending = pending_;
  pending.assign(1, node);
  while (!pending.empty()) {
    NodeId next = pending.back();
    pending.pop_back();
    const Node& n = nodes_[next];
    if (n.kind == NodeKind::Erased || n.kind == NodeKind::Input || !n.uses.empty() || n.outputs != 0) {
      continue;
    }
    std::span<const NodeId> operands = this->operands(next);  // its storage outlives the node
    erase(next);
    for (NodeId operand : operands) {
      if (operand != kNoNode) {
        pending.push_back(operand);
      }
    }
  }
}

}  // namespace vouch
