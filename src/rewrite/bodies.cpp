#include "rewrite/bodies.h"

#include <algorithm>

#include "graph/order.h"

namespace vouch {
namespace {

// The values that a call hands to its body: the items of its last operand, and of the tuple within.
std::vector<Type> handed(const Graph& graph, NodeId call) {
  std::span<const NodeId> operands = graph.operands(call);
  std::vector<Type> types;
  if (operands.empty() || operands.back() == kNoNode || !graph.type(operands.back()).is_tuple()) {
    return types;
  }
  for (Type item : graph.type(operands.back()).items()) {
    if (item.is_tuple()) {
      types.insert(types.end(), item.items().begin(), item.items().end());
    } else {
      types.push_back(item);
    }
  }
  return types;
}

std::size_t carried_count(const Graph& graph, NodeId call) {
  std::size_t carried = 0;
  for (Type item : graph.type(graph.operands(call).back()).items()) {
    carried += item.is_tuple() ? 0 : 1;
  }
  return carried;
}

std::vector<Type> input_types(const Graph& body) {
  std::vector<Type> types;
  std::transform(body.inputs().begin(), body.inputs().end(), std::back_inserter(types), [&](NodeId id) { return body.type(id); });
  return types;
}

std::size_t times_named(Symbol size, const std::vector<Type>& types) {
  std::size_t times = 0;
  for (Type type : types) {
    for (Term extent : type.is_tensor() ? type.extents() : std::vector<Term>()) {
      std::vector<Symbol> names = free_variables(extent);
      times += static_cast<std::size_t>(std::count(names.begin(), names.end(), size));
    }
  }
  return times;
}

bool is_named(Symbol size, const Graph& graph) {
  for (std::size_t id = 0; id < graph.id_limit(); ++id) {
    auto node = static_cast<NodeId>(id);
    if (graph.is_live(node) && times_named(size, {graph.type(node)}) != 0) {
      return true;
    }
  }
  return false;
}

// Whether what is said of the first type, of what an iteration takes, holds of the other, which it gives: its sizes are those, or
// go by names of the body, not of the graph around it, that nothing else it takes goes by. So nothing is said of them.
bool holds_of(Type said, Type other, const std::vector<Type>& inputs, const Graph& around) {
  if (said == other) {
    return true;
  }
  if (!said.is_tensor() || !other.is_tensor() || said.dtype() != other.dtype() || said.rank() != other.rank()) {
    return false;
  }
  for (std::size_t axis = 0; axis < said.rank(); ++axis) {
    Term size = said.extents()[axis];
    bool says_nothing =
        size.kind() == TermKind::IntVar && times_named(size->symbol, inputs) == 1 && !is_named(size->symbol, around);
    if (size != other.extents()[axis] && !says_nothing) {
      return false;
    }
  }
  return true;
}

// A loop's body takes what it captures, the iteration, the condition, and the carried values; it gives the condition, these, and
// what is collected.
bool keeps_carried_types(const Graph& graph, NodeId loop, const Graph& body) {
  std::size_t carried = carried_count(graph, loop);
  std::size_t taken = body.inputs().size();
  if (body.outputs().size() < carried + 1 || taken < carried) {
    return false;
  }
  std::vector<Type> types = input_types(body);
  for (std::size_t k = 0; k < carried; ++k) {
    if (!holds_of(types[taken - carried + k], body.type(body.outputs()[k + 1].node), types, graph)) {
      return false;
    }
  }
  return true;
}

// A scan's body takes what it captures, its state, and an element of each scanned value; it gives the state, and what is
// collected.
bool keeps_state_types(const Graph& graph, NodeId scan, const Graph& body) {
  const AttrValue* number = graph.attributes(scan).find(Symbol("num_scan_inputs"));
  std::size_t given = carried_count(graph, scan);
  std::size_t captured = body.inputs().size() - given;
  std::size_t states = given - static_cast<std::size_t>(number->int64().value_or(0));
  std::vector<Type> types = input_types(body);
  for (std::size_t k = 0; k < states; ++k) {
    if (!holds_of(types[captured + k], body.type(body.outputs()[k].node), types, graph)) {
      return false;
    }
  }
  return true;
}

// Runs once, on nothing but what it captures; or its inputs' types hold in each iteration.
bool may_rewrite(const Graph& graph, NodeId call, const Graph& body) {
  std::size_t values = handed(graph, call).size();
  constexpr std::size_t kCounters = 2;
  bool as_it_is = op_def(graph.op(call)).operands.back().kind == OperandKind::OptionalTuple;
  bool scans = graph.attributes(call).find(Symbol("num_scan_inputs")) != nullptr;
  return scans ? keeps_state_types(graph, call, body)
               : (as_it_is && body.inputs().size() == values) ||
                     (body.inputs().size() == values + kCounters && keeps_carried_types(graph, call, body));
}

}  // namespace

const Graph* body_at(const Graph& graph, const BodyPlace& place) {
  if (place.call >= graph.id_limit() || graph.kind(place.call) != NodeKind::Call) {
    return nullptr;
  }
  const AttrValue* value = graph.attributes(place.call).find(place.attribute);
  return value != nullptr ? value->graph() : nullptr;
}

std::vector<BodyPlace> rewritable_bodies(const Graph& graph) {
  std::vector<BodyPlace> places;
  for (NodeId node : reverse_post_order(graph)) {
    if (graph.kind(node) != NodeKind::Call || !op_def(graph.op(node)).opaque) {
      continue;
    }
    for (const auto& [name, value] : graph.attributes(node).entries()) {
      if (value.graph() != nullptr && may_rewrite(graph, node, *value.graph())) {
        places.push_back({node, std::string(name.name())});
      }
    }
  }
  return places;
}

bool same_interface(const Graph& a, const Graph& b) {
  auto same_inputs = [&](NodeId x, NodeId y) { return a.type(x) == b.type(y); };
  auto same_outputs = [&](const GraphOutput& x, const GraphOutput& y) { return a.type(x.node) == b.type(y.node); };
  return std::equal(a.inputs().begin(), a.inputs().end(), b.inputs().begin(), b.inputs().end(), same_inputs) &&
         std::equal(a.outputs().begin(), a.outputs().end(), b.outputs().begin(), b.outputs().end(), same_outputs);
}

std::string place_text(const Graph& graph, const BodyPlace& place) { return graph.name(place.call) + "/" + place.attribute; }

}  // namespace vouch
