#include "graph/control_flow.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/call_builder.h"
#include "graph/collected.h"

namespace vouch {
namespace {

using Nodes = std::vector<NodeId>;

constexpr std::int64_t kMostIterations = 1024;
constexpr std::size_t kMostCalls = 65536;

const Graph& nested(AttrDict attributes, std::string_view name) { return *attributes.find(Symbol(name))->graph(); }

ControlFlow::Given given(const Graph& graph, NodeId tuple) {
  ControlFlow::Given out;
  for (NodeId item : graph.operands(tuple)) {
    if (graph.kind(item) == NodeKind::Tuple) {
      out.captured.assign(graph.operands(item).begin(), graph.operands(item).end());
    } else {
      out.values.push_back(item);
    }
  }
  return out;
}

std::int64_t entry(AttrDict attributes, std::string_view list, std::size_t k) {
  const AttrValue* value = attributes.find(Symbol(list));
  bool there = value != nullptr && value->tuple() != nullptr && k < value->tuple()->size();
  return there ? (*value->tuple())[k].int64().value_or(0) : 0;
}

}  // namespace

bool is_control_flow(OpId op) {
  const OpDef& def = op_def(op);
  return std::any_of(def.attributes.begin(), def.attributes.end(),
                     [](const AttrDef& attribute) { return attribute.type == AttrType::Graph; });
}

std::optional<Nodes> ControlFlow::results(OpId op, const Nodes& operands, AttrDict attributes, const std::string& place) {
  std::string_view name = op_def(op).name;
  return name == "If"     ? conditional(operands, attributes, place)
         : name == "Loop" ? loop(operands, attributes, place)
         : name == "Scan" ? scan(operands, attributes, place)
                          : refuse(place, "there is no form of it without nested graphs");
}

std::nullopt_t ControlFlow::refuse(const std::string& place, const std::string& why) {
  diagnostics_.error_at(place, why);
  return std::nullopt;
}

std::optional<Nodes> ControlFlow::copied(const Graph& body, const Nodes& inputs, const std::string& place) {
  copied_ += body.id_limit();
  if (copied_ > kMostCalls) {
    return refuse(place, fmt::format("more than {} calls would be written out", kMostCalls));
  }
  std::size_t errors = diagnostics_.error_count();
  auto outputs = copy_graph(graph_, body, inputs, [&](OpId op, const Nodes& operands, AttrDict attributes) {
    return add_(op, operands, attributes, place);
  });
  if (!outputs && diagnostics_.error_count() == errors) {
    return refuse(place, fmt::format("the nested graph takes {} values, {} are given", body.inputs().size(), inputs.size()));
  }
  return outputs;
}

// --- conditionals

std::optional<Nodes> ControlFlow::conditional(const Nodes& operands, AttrDict attributes, const std::string& place) {
  Nodes captured;
  if (operands.size() > 1 && operands[1] != kNoNode) {
    captured.assign(graph_.operands(operands[1]).begin(), graph_.operands(operands[1]).end());
  }
  if (const Tensor* condition = known_.of(operands[0]); condition != nullptr && condition->count() == 1) {
    return copied(nested(attributes, condition->int_at(0) != 0 ? "then_branch" : "else_branch"), captured, place);
  }
  auto then = copied(nested(attributes, "then_branch"), captured, place);
  auto otherwise = then ? copied(nested(attributes, "else_branch"), captured, place) : std::nullopt;
  return otherwise ? choice(operands[0], *then, *otherwise, place) : std::nullopt;
}

// Every operator that has a kernel gives something for all elements, so that what is not chosen may be computed.
std::optional<Nodes> ControlFlow::choice(NodeId condition, const Nodes& then, const Nodes& otherwise, const std::string& place) {
  CallBuilder build{graph_, place, diagnostics_};
  NodeId scalar = graph_.type(condition).rank() == 0 ? condition : build.call("Reshape", {condition, build.ints({})});
  Nodes out;
  for (std::size_t k = 0; k < then.size(); ++k) {
    Type one = graph_.type(then[k]);
    Type other = graph_.type(otherwise[k]);
    if (one != other) {
      return refuse(place,
                    fmt::format("the branches give {} and {}, and which is taken depends on data", one.text(), other.text()));
    }
    out.push_back(build.call("Where", {scalar, then[k], otherwise[k]}));
  }
  return build.failed ? std::nullopt : std::optional(out);
}

// --- loops

std::optional<bool> ControlFlow::goes_on(NodeId condition, std::int64_t done, const std::string& place) {
  if (condition == kNoNode) {
    return true;
  }
  const Tensor* value = known_.of(condition);
  if (value == nullptr) {
    return refuse(place, fmt::format("whether it goes on after {} iterations depends on data", done));
  }
  return value->count() > 0 && value->int_at(0) != 0;
}

// Infinite if nothing limits it.
std::optional<std::int64_t> ControlFlow::trips(NodeId given, const std::string& place) {
  if (given == kNoNode) {
    return INT64_MAX;
  }
  const Tensor* trips = known_.of(given);
  if (trips == nullptr || trips->count() != 1) {
    return refuse(place, "how often the loop runs depends on data");
  }
  return trips->int_at(0);
}

// The body takes the captured values, the iteration, the condition and the carried values; it gives the condition, the carried
// values, and what is collected.
bool ControlFlow::iterate(const Graph& body, Given& from, NodeId condition, std::int64_t most, std::vector<Nodes>& items,
                          const std::string& place) {
  const std::size_t carried = from.values.size();
  auto on = goes_on(condition, 0, place);
  for (std::int64_t done = 0; on && *on && done < most;) {
    if (done == kMostIterations) {
      refuse(place, fmt::format("the loop does not end within {} iterations", kMostIterations));
      return false;
    }
    Nodes inputs = from.captured;
    inputs.push_back(graph_.add_constant(one_element(body.type(body.inputs()[inputs.size()]), done)));
    inputs.push_back(graph_.add_constant(one_element(body.type(body.inputs()[inputs.size()]), 1)));
    inputs.insert(inputs.end(), from.values.begin(), from.values.end());
    auto outputs = copied(body, inputs, place);
    if (!outputs) {
      return false;
    }
    std::copy_n(outputs->begin() + 1, carried, from.values.begin());
    for (std::size_t k = 0; k < items.size(); ++k) {
      items[k].push_back((*outputs)[1 + carried + k]);
    }
    ++done;
    on = done < most ? goes_on(outputs->front(), done, place) : on;
  }
  return on.has_value();
}

std::optional<Nodes> ControlFlow::loop(const Nodes& operands, AttrDict attributes, const std::string& place) {
  const Graph& body = nested(attributes, "body");
  Given from = given(graph_, operands[2]);
  const std::size_t taken = from.captured.size() + 2 + from.values.size();
  if (body.inputs().size() != taken) {
    return refuse(place, fmt::format("the body takes {} values, the loop has {}", body.inputs().size(), taken));
  }
  auto most = trips(operands[0], place);
  std::vector<Nodes> items(body.outputs().size() - 1 - from.values.size());
  if (!most || !iterate(body, from, operands[1], *most, items, place) ||
      !append_collected(from.values, items, attributes, place)) {
    return std::nullopt;
  }
  return from.values;
}

// The slices of what is scanned, in the order in which the body takes them.
std::optional<std::vector<Nodes>> ControlFlow::sliced(const Nodes& wholes, AttrDict attributes, const std::string& place) {
  CallBuilder build{graph_, place, diagnostics_};
  std::vector<Nodes> slices;
  for (std::size_t k = 0; k < wholes.size(); ++k) {
    Extents extents = *graph_.type(wholes[k]).concrete_extents();
    std::int64_t axis = entry(attributes, "scan_input_axes", k);
    axis += axis < 0 ? static_cast<std::int64_t>(extents.size()) : 0;
    std::int64_t length = extents[static_cast<std::size_t>(axis)];
    if (length < 1 || length > kMostIterations) {
      return refuse(place, fmt::format("it takes {} steps; from 1 to {} are written out", length, kMostIterations));
    }
    Nodes& parts = slices.emplace_back(build.split(wholes[k], axis, length));
    for (NodeId& part : parts) {
      part = build.call("Squeeze", {part, build.ints({axis})});
    }
    if (entry(attributes, "scan_input_directions", k) != 0) {
      std::reverse(parts.begin(), parts.end());
    }
  }
  return build.failed ? std::nullopt : std::optional(std::move(slices));
}

// The body takes the captured values, the state, and a slice of each scanned value; it gives the state, and what is collected.
std::optional<Nodes> ControlFlow::scan(const Nodes& operands, AttrDict attributes, const std::string& place) {
  const Graph& body = nested(attributes, "body");
  Given from = given(graph_, operands[0]);
  auto scanned = attributes.find(Symbol("num_scan_inputs"))->int64().value_or(0);
  const std::size_t states = from.values.size() - static_cast<std::size_t>(scanned);
  auto slices = sliced(Nodes(from.values.begin() + static_cast<std::ptrdiff_t>(states), from.values.end()), attributes, place);
  if (!slices) {
    return std::nullopt;
  }
  from.values.resize(states);
  std::vector<Nodes> items(body.outputs().size() - states);
  for (std::size_t step = 0; step < slices->front().size(); ++step) {
    Nodes inputs = from.captured;
    inputs.insert(inputs.end(), from.values.begin(), from.values.end());
    for (const Nodes& parts : *slices) {
      inputs.push_back(parts[step]);
    }
    auto outputs = copied(body, inputs, place);
    if (!outputs) {
      return std::nullopt;
    }
    std::copy_n(outputs->begin(), states, from.values.begin());
    for (std::size_t k = 0; k < items.size(); ++k) {
      items[k].push_back((*outputs)[states + k]);
    }
  }
  return append_collected(from.values, items, attributes, place) ? std::optional(from.values) : std::nullopt;
}

// Along a new axis: the first, or that which a scan's attributes name.
bool ControlFlow::append_collected(Nodes& results, std::vector<Nodes>& items, AttrDict attributes, const std::string& place) {
  for (std::size_t k = 0; k < items.size(); ++k) {
    if (entry(attributes, "scan_output_directions", k) != 0) {
      std::reverse(items[k].begin(), items[k].end());
    }
    std::int64_t axis = entry(attributes, "scan_output_axes", k);
    axis += axis < 0 && !items[k].empty() ? static_cast<std::int64_t>(graph_.type(items[k].front()).rank()) + 1 : 0;
    auto whole = collected(items[k], axis, place);
    if (!whole) {
      return false;
    }
    results.push_back(*whole);
  }
  return true;
}

std::optional<NodeId> ControlFlow::collected(const Nodes& items, std::int64_t axis, const std::string& place) {
  if (items.empty()) {
    return refuse(place, "it runs not once, and what it collects has no elements");
  }
  CallBuilder build{graph_, place, diagnostics_};
  Nodes raised;
  for (NodeId item : items) {
    if (graph_.type(item) != graph_.type(items.front())) {
      return refuse(place, fmt::format("what is collected is {} once and {} another time", graph_.type(items.front()).text(),
                                       graph_.type(item).text()));
    }
    raised.push_back(build.call("Unsqueeze", {item, build.ints({axis})}));
  }
  NodeId whole = build.concat(raised, axis);
  return build.failed ? std::nullopt : std::optional(whole);
}

}  // namespace vouch
