#include "io/onnx_draft.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/foreign.h"
#include "graph/operand_types.h"
#include "io/checked_call.h"
#include "io/onnx_adapt.h"
#include "io/onnx_attribute.h"
#include "io/onnx_domain.h"
#include "support/fault.h"

namespace vouch {
namespace {

bool keeps_graphs(const OpDef& def) {
  return std::any_of(def.attributes.begin(), def.attributes.end(),
                     [](const AttrDef& attribute) { return attribute.type == AttrType::Graph; });
}

}  // namespace

OnnxDraft::OnnxDraft(Graph& graph, OnnxShared& shared, const onnx::NodeProto& node, std::vector<bool> wanted, std::int64_t opset,
                     std::string place, Diagnostics& diagnostics)
    : op(operator_of_onnx(node.domain(), node.op_type()).value_or(node.op_type())),
      graph_(graph),
      shared_(shared),
      node_(node),
      wanted_(std::move(wanted)),
      opset_(opset),
      place_(std::move(place)),
      diagnostics_(diagnostics) {}

void OnnxDraft::fail(const std::string& message, std::string hint) {
  failed_ = true;
  diagnostics_.error_at(place_, message, std::move(hint));
}

void OnnxDraft::set_operand(std::size_t operand, NodeId node) {
  operands.resize(std::max(operands.size(), operand + 1), kNoNode);
  operands[operand] = node;
}

bool OnnxDraft::add_attribute(std::string_view name, AttrValue value) {
  if (!attribute_names_.insert(Symbol(name)).second) {
    fail(fmt::format("attribute '{}' is given twice", name));
    return false;
  }
  attributes_.emplace_back(Symbol(name), std::move(value));
  return true;
}

const AttrValue* OnnxDraft::attribute(std::string_view name) const {
  for (const auto& [key, value] : attributes_) {
    if (key.name() == name) {
      return &value;
    }
  }
  return nullptr;
}

std::optional<AttrValue> OnnxDraft::take(std::string_view name) {
  for (auto at = attributes_.begin(); at != attributes_.end(); ++at) {
    if (at->first.name() == name) {
      AttrValue value = std::move(at->second);
      attributes_.erase(at);
      return value;
    }
  }
  return std::nullopt;
}

std::int64_t OnnxDraft::take_int(std::string_view name, std::int64_t otherwise) {
  auto value = take(name);
  if (value && !value->int64()) {
    fail(fmt::format("attribute '{}' of {} must be an integer, found {}", name, op, value->text()));
  }
  return value ? value->int64().value_or(otherwise) : otherwise;
}

void OnnxDraft::drop(std::initializer_list<std::string_view> names) {
  for (std::string_view name : names) {
    take(name);
  }
}

void OnnxDraft::set(std::string_view name, AttrValue value) {
  take(name);
  attributes_.emplace_back(Symbol(name), std::move(value));
}

AttrDict OnnxDraft::dict() const { return AttrDict(attributes_); }

NodeId OnnxDraft::ints(std::span<const std::int64_t> values) {
  return constant(Tensor::of_ints(DType::Int64, {static_cast<std::int64_t>(values.size())}, values));
}

NodeId OnnxDraft::ints(std::initializer_list<std::int64_t> values) { return ints(std::span(values.begin(), values.size())); }

NodeId OnnxDraft::call(std::string_view name, std::initializer_list<NodeId> items, std::vector<AttrDict::Entry> attributes) {
  auto id = find_op(name);
  ensure(id.has_value(), "an adaptation uses operators of the table");
  if (failed() || std::find(items.begin(), items.end(), kNoNode) != items.end()) {
    return kNoNode;
  }
  return checked_call(*id, std::span(items.begin(), items.size()), AttrDict(std::move(attributes)));
}

NodeId OnnxDraft::checked_call(OpId id, std::span<const NodeId> items, AttrDict attributes) {
  if (is_beyond_typing(op_def(id), items)) {
    leave_alone();
    return kNoNode;
  }
  Diagnostics problems;
  NodeId node = add_checked_call(graph_, id, items, attributes, place_, problems);
  if (node == kNoNode && (depends_on_data(op_def(id), items) || is_undecided(id, items, attributes))) {
    leave_alone();
    return kNoNode;
  }
  for (const Diagnostic& problem : problems.all()) {
    diagnostics_.add(problem);
  }
  failed_ |= node == kNoNode;
  return node;
}

// Only what keeps nested graphs may be given values of foreign types; 4-bit integers and floats of 8 bits are given to operators
// of newer versions. A definition of very many operands would be a term as deep.
bool OnnxDraft::is_beyond_typing(const OpDef& def, std::span<const NodeId> items) const {
  constexpr std::size_t kMostItems = 2048;
  auto is_stored = [&](std::size_t k, Type type) {
    return type.is_tensor() && kStorage.contains(type.dtype()) && !operand_types_of(def.name).of(k).contains(type.dtype());
  };
  bool beyond = false;
  for (std::size_t k = 0; k < items.size() && !beyond; ++k) {
    Type type = items[k] == kNoNode ? Type() : graph_.type(items[k]);
    bool tuple = type && type.is_tuple();
    beyond = type && (has_foreign(type) || (tuple && type.items().size() > kMostItems) || (!tuple && is_stored(k, type)));
    for (Type item : tuple && !beyond ? type.items() : std::vector<Type>()) {
      beyond = beyond || is_stored(k, item);
    }
  }
  return beyond && !keeps_graphs(def);
}

// Whether an ill-typed call may be one whose type follows from values that are known when it runs: lists that are data, and
// nested graphs whose results agree in nothing but that they are values.
bool OnnxDraft::depends_on_data(const OpDef& def, std::span<const NodeId> items) const {
  bool nests = !is_standard_domain(node_.domain()) || keeps_graphs(def);  // a domain's own forms may not be declared here
  for (std::size_t k = 0; k < items.size() && k < def.operands.size(); ++k) {
    bool list = def.operands[k].domain != OperandDomain::Elements && items[k] != kNoNode;
    nests |= list && graph_.contents(items[k]) == nullptr && !graph_.has_value(items[k]);
  }
  return nests;
}

// Whether the operator's definition says of an ill-typed call that more has to be known than is here: scales that are fed, a flag
// that asks for random numbers.
bool OnnxDraft::is_undecided(OpId id, std::span<const NodeId> items, AttrDict attributes) const {
  Diagnostics none;
  if (!verify_call_form(op_def(id), items.size(), attributes, place_, none)) {
    return false;
  }
  std::vector<Type> types;
  KnownContents contents;
  for (NodeId item : items) {
    types.push_back(item == kNoNode ? Type() : graph_.type(item));
    contents.push_back(item == kNoNode ? nullptr : graph_.contents(item));
  }
  return type_call(id, types, attributes, contents)->undecided;
}

// Attributes that newer versions of the operator have, and element types that are foreign.
bool OnnxDraft::is_newer_form(const OpDef& def) const {
  return std::any_of(attributes_.begin(), attributes_.end(), [&](const AttrDict::Entry& entry) {
    auto declared = std::find_if(def.attributes.begin(), def.attributes.end(),
                                 [&](const AttrDef& attribute) { return attribute.name == entry.first.name(); });
    if (declared == def.attributes.end()) {
      return opset_ > kTableOpset || !is_standard_domain(node_.domain());
    }
    return declared->type == AttrType::DType && entry.second.string() && !parse_dtype(*entry.second.string()) &&
           is_element_name(*entry.second.string());
  });
}

// The rest of a variadic operator's operands become one tuple.
std::vector<NodeId> OnnxDraft::gathered_operands(const OpDef& def) {
  while (!operands.empty() && operands.back() == kNoNode) {
    operands.pop_back();
  }
  auto tuple = std::find_if(def.operands.begin(), def.operands.end(),
                            [](const OperandDef& operand) { return operand.kind == OperandKind::Tuple; });
  if (tuple == def.operands.end()) {
    return operands;
  }
  auto first = static_cast<std::size_t>(tuple - def.operands.begin());
  operands.resize(std::max(operands.size(), first), kNoNode);
  std::span<const NodeId> items = std::span(operands).subspan(first);
  if (std::find(items.begin(), items.end(), kNoNode) != items.end()) {
    fail(fmt::format("{} needs each of its operands", def.name));
    return {};
  }
  NodeId gathered = shared_.tuple(graph_, items);
  operands.resize(first);
  operands.push_back(gathered);
  return operands;
}

void OnnxDraft::add_further(const OpDef& def, std::span<const NodeId> items) {
  for (std::size_t output = 1; output < output_count() && !failed(); ++output) {
    results.push_back(kNoNode);
    if (!wants_output(output)) {
      continue;
    }
    auto id = output <= def.further.size() ? find_op(def.further[output - 1]) : std::nullopt;
    if (!id) {
      return leave_alone();
    }
    results.back() = checked_call(*id, items, dict());
  }
}

void OnnxDraft::add_results(NodeId call) {
  const std::vector<Type>& types = graph_.type(call).items();
  if (output_count() > types.size()) {
    fail(fmt::format("{} gives {} results here, but {} are named", op, types.size(), output_count()));
    return;
  }
  for (std::size_t output = 0; output < output_count(); ++output) {
    results.push_back(wants_output(output) ? graph_.add_projection(call, static_cast<std::uint32_t>(output)) : kNoNode);
  }
}

void OnnxDraft::finish() {
  if (failed() || !results.empty()) {
    return;
  }
  auto id = find_op(op);
  if (!id) {
    return leave_alone();
  }
  const OpDef& def = op_def(*id);
  for (auto& [name, value] : attributes_) {
    for (const AttrDef& declared : def.attributes) {
      if (declared.name == name.name()) {
        value = fit_attribute(declared, std::move(value));
      }
    }
  }
  if (is_newer_form(def)) {
    return leave_alone();
  }
  std::vector<NodeId> items = gathered_operands(def);
  NodeId node = failed() ? kNoNode : checked_call(*id, items, dict());
  if (node == kNoNode) {
    return;
  }
  if (def.several_results) {
    add_results(node);
    return;
  }
  results.push_back(node);
  add_further(def, items);
}

}  // namespace vouch
