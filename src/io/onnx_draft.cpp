#include "io/onnx_draft.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/checked_call.h"
#include "io/onnx_attribute.h"
#include "support/fault.h"

namespace vouch {

OnnxDraft::OnnxDraft(Graph& graph, const onnx::NodeProto& node, std::vector<bool> wanted, std::int64_t opset, std::string place,
                     Diagnostics& diagnostics)
    : op(node.op_type()),
      graph_(graph),
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
  if (attribute(name)) {
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
  if (!id) {
    fail(fmt::format("operator '{}' is not supported", name));
  }
  if (failed_ || std::find(items.begin(), items.end(), kNoNode) != items.end()) {
    return kNoNode;
  }
  return checked_call(*id, std::span(items.begin(), items.size()), AttrDict(std::move(attributes)));
}

NodeId OnnxDraft::checked_call(OpId id, std::span<const NodeId> items, AttrDict attributes) {
  NodeId node = add_checked_call(graph_, id, items, attributes, place_, diagnostics_);
  failed_ |= node == kNoNode;
  return node;
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
  NodeId gathered = graph_.add_tuple(items);
  operands.resize(first);
  operands.push_back(gathered);
  return operands;
}

void OnnxDraft::add_further(const OpDef& def, std::span<const NodeId> items) {
  for (std::size_t output = 1; output < output_count() && !failed_; ++output) {
    results.push_back(kNoNode);
    if (!wants_output(output)) {
      continue;
    }
    auto id = output <= def.further.size() ? find_op(def.further[output - 1]) : std::nullopt;
    if (!id) {
      fail(fmt::format("result {} of {} ('{}') is not supported", output + 1, def.name, node_.output(static_cast<int>(output))));
      return;
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
  if (failed_ || !results.empty()) {
    return;
  }
  auto id = find_op(op);
  if (!id) {
    fail(fmt::format("operator '{}' is not supported", op));
    return;
  }
  const OpDef& def = op_def(*id);
  for (auto& [name, value] : attributes_) {
    for (const AttrDef& declared : def.attributes) {
      if (declared.name == name.name()) {
        value = fit_attribute(declared, std::move(value));
      }
    }
  }
  std::vector<NodeId> items = gathered_operands(def);
  NodeId node = failed_ ? kNoNode : checked_call(*id, items, dict());
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
