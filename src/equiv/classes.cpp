#include "equiv/classes.h"

#include <algorithm>
#include <string_view>

#include "graph/draws.h"
#include "graph/foreign.h"
#include "graph/order.h"
#include "graph/typed_operands.h"

namespace vouch {
namespace {

std::size_t mix(std::size_t seed, std::size_t value) { return (seed ^ value) * 0x9e3779b97f4a7c15ULL + (seed >> 7); }

std::size_t value_hash(const Tensor& value) {
  auto bytes = value.bytes();
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::size_t h = mix(static_cast<std::size_t>(value.dtype()), std::hash<std::string_view>()(text));
  for (std::int64_t extent : value.extents()) {
    h = mix(h, static_cast<std::size_t>(extent));
  }
  return h;
}

std::uint64_t number(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

// What a key is of, so that keys of two kinds never meet.
enum KeyKind : std::uint64_t { kCall, kTuple, kContents };

}  // namespace

AttrDict canonical_attributes(const OpDef& def, AttrDict attributes) {
  if (def.name == op_def(foreign_op()).name && !foreign_meaning(attributes).empty()) {
    return AttrDict({{Symbol("meaning"), foreign_meaning(attributes)}});
  }
  AttrDict out = attributes;
  for (const AttrDef& attr : def.attributes) {
    if (attributes.find(attr.name) != nullptr) {
      continue;
    }
    Symbol name(attr.name);
    if (const auto* whole = std::get_if<std::int64_t>(&attr.otherwise)) {
      out = out.with(name, AttrValue(*whole));
    } else if (const auto* real = std::get_if<double>(&attr.otherwise)) {
      out = out.with(name, AttrValue::of_float(*real));
    } else if (const auto* text = std::get_if<std::string_view>(&attr.otherwise)) {
      out = out.with(name, AttrValue(std::string(*text)));
    }
  }
  return out;
}

bool is_function(const Graph& graph, NodeId call) {
  const OpDef& def = op_def(graph.op(call));
  if (graph.op(call) == foreign_op()) {
    return !foreign_meaning(graph.attributes(call)).empty();
  }
  if (!may_draw(def)) {
    return std::all_of(graph.attributes(call).entries().begin(), graph.attributes(call).entries().end(), [](const auto& entry) {
      const Graph* nested = entry.second.graph();
      return nested == nullptr || is_function(*nested);
    });
  }
  if (def.opaque) {
    return false;
  }
  auto [types, contents] = typed_operands(graph, call);
  return type_call(graph.op(call), types, graph.attributes(call), contents)->error.empty() &&
         !shared_meaning(graph.op(call), types, graph.attributes(call), contents)->outputs.empty();
}

bool is_function(const Graph& graph) {
  std::vector<NodeId> order = reverse_post_order(graph);
  return std::all_of(order.begin(), order.end(),
                     [&](NodeId node) { return graph.kind(node) != NodeKind::Call || is_function(graph, node); });
}

std::size_t Classes::KeyHash::operator()(const Key& key) const {
  std::size_t h = key.size();
  for (std::uint64_t part : key) {
    h = mix(h, part);
  }
  return h;
}

Classes::Classes(const Graph& graph) : graph_(graph), class_of_(graph.id_limit(), kNone) {}

ClassId Classes::root(ClassId id) const {
  while (parent_[id] != id) {
    parent_[id] = parent_[parent_[id]];
    id = parent_[id];
  }
  return id;
}

const Tensor* Classes::value(ClassId id) const {
  for (NodeId node : members(id)) {
    if (auto found = values_.find(node); found != values_.end()) {
      return &found->second;
    }
  }
  return nullptr;
}

std::optional<Classes::Key> Classes::contents_key(NodeId node) const {
  const std::vector<Term>* contents = graph_.contents(node);
  Type type = graph_.type(node);
  if (contents == nullptr || !type.is_tensor() || is_float(type.dtype())) {
    return std::nullopt;
  }
  Key key{kContents, number(type.id())};
  for (Term element : *contents) {
    key.push_back(number(element.id()));
  }
  return key;
}

std::optional<Classes::Key> Classes::key_of(NodeId node) {
  Key key;
  switch (graph_.kind(node)) {
    case NodeKind::Tuple: key = {kTuple}; break;
    case NodeKind::Call: {
      if (!is_function(graph_, node)) {
        return std::nullopt;
      }
      const OpDef& def = op_def(graph_.op(node));
      AttrDict attributes = graph_.attributes(node);
      // One dictionary may be that of two operators with other defaults: the key has the operator, too.
      AttrDict spelt = canonical_attributes(def, attributes);
      key = {kCall, graph_.op(node), number(spelt.id())};
      break;
    }
    default: return std::nullopt;
  }
  std::size_t begin = key.size();
  for (NodeId operand : graph_.operands(node)) {
    key.push_back(operand == kNoNode ? kNone : find(operand));
  }
  bool commutes = graph_.kind(node) == NodeKind::Call && op_def(graph_.op(node)).traits.commutative && key.size() == begin + 2;
  if (commutes && key[begin] > key[begin + 1]) {
    std::swap(key[begin], key[begin + 1]);
  }
  return key;
}

void Classes::add(NodeId node) {
  if (node >= class_of_.size()) {
    class_of_.resize(graph_.id_limit(), kNone);
  }
  auto id = static_cast<ClassId>(parent_.size());
  class_of_[node] = id;
  parent_.push_back(id);
  members_.push_back({node});
  users_.emplace_back();
  for (NodeId operand : graph_.operands(node)) {
    if (operand != kNoNode) {
      users_[find(operand)].push_back(node);
    }
  }
  if (graph_.has_value(node)) {
    set_value(node, graph_.value(node));
  }
  insert(node);
  close();
}

void Classes::set_value(NodeId node, Tensor value) {
  std::vector<NodeId>& alike = by_value_[value_hash(value)];
  for (NodeId other : alike) {
    if (values_.at(other) == value) {
      values_.emplace(node, std::move(value));
      join(node, other, Ground::Value);
      close();
      return;
    }
  }
  alike.push_back(node);
  values_.emplace(node, std::move(value));
}

void Classes::insert(NodeId node) {
  if (graph_.kind(node) == NodeKind::Projection) {
    NodeId tuple = graph_.operands(node)[0];
    for (NodeId member : members(find(tuple))) {
      if (graph_.kind(member) == NodeKind::Tuple) {
        pending_.emplace_back(node, graph_.operands(member)[graph_.projection_index(node)]);
        return;
      }
    }
    for (NodeId user : users_[find(tuple)]) {
      if (user != node && has(user) && graph_.kind(user) == NodeKind::Projection &&
          graph_.projection_index(user) == graph_.projection_index(node)) {
        pending_.emplace_back(node, user);
        return;
      }
    }
    return;
  }
  if (auto key = contents_key(node)) {
    auto [at, is_new] = listed_.try_emplace(std::move(*key), node);
    if (!is_new && !equal(at->second, node)) {
      join(node, at->second, Ground::Contents);
    }
  }
  if (auto key = key_of(node)) {
    auto [at, is_new] = known_.try_emplace(std::move(*key), node);
    if (!is_new && at->second != node) {
      pending_.emplace_back(node, at->second);
    }
  }
}

void Classes::merge(NodeId a, NodeId b) {
  join(a, b, Ground::Proof);
  close();
}

// What reads the class that vanishes is known by another key from now on.
void Classes::join(NodeId a, NodeId b, Ground ground) {
  ClassId x = find(a);
  ClassId y = find(b);
  if (x == y) {
    return;
  }
  merges_.push_back({a, b, ground});
  if (members_[x].size() + users_[x].size() > members_[y].size() + users_[y].size()) {
    std::swap(x, y);
  }
  parent_[x] = y;
  members_[y].insert(members_[y].end(), members_[x].begin(), members_[x].end());
  members_[x].clear();
  std::vector<NodeId> users = std::move(users_[x]);
  users_[x].clear();
  users_[y].insert(users_[y].end(), users.begin(), users.end());
  for (NodeId user : users) {
    if (has(user)) {
      insert(user);
    }
  }
}

void Classes::close() {
  while (!pending_.empty()) {
    auto [a, b] = pending_.back();
    pending_.pop_back();
    join(a, b, Ground::Congruence);
  }
}

}  // namespace vouch
