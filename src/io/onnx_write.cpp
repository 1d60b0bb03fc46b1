#include "io/onnx_write.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "graph/order.h"
#include "io/onnx_adapt.h"
#include "io/onnx_attribute.h"
#include "io/onnx_tensor.h"
#include "term/print.h"

namespace vouch {

OnnxWriter::OnnxWriter(OnnxExportContext& context, const Graph& graph, onnx::GraphProto& proto)
    : context_(context),
      graph_(graph),
      proto_(proto),
      order_(reverse_post_order(graph)),
      needed_(graph.id_limit()),
      names_(graph, order_, context.pool) {
  for (NodeId node : order_) {
    needed_[node] = true;
  }
  group_further_results(order_);
}

// --- what one ONNX node gives

// The ONNX operator whose result this operator is, and which one.
static std::pair<std::string_view, std::size_t> onnx_result(std::string_view op) {
  static const auto* further = [] {
    auto* built = new std::map<std::string_view, std::pair<std::string_view, std::size_t>>();
    for (std::size_t id = 0; id < op_count(); ++id) {
      const OpDef& def = op_def(static_cast<OpId>(id));
      for (std::size_t k = 0; k < def.further.size(); ++k) {
        built->emplace(def.further[k], std::pair(def.name, k + 1));
      }
    }
    return built;
  }();
  auto found = further->find(op);
  return found == further->end() ? std::pair(op, std::size_t{0}) : found->second;
}

void OnnxWriter::group_further_results(const std::vector<NodeId>& order) {
  std::map<std::tuple<std::string_view, const void*, std::vector<NodeId>>, NodeId> first;
  for (NodeId node : order) {
    if (graph_.kind(node) != NodeKind::Call) {
      continue;
    }
    const OpDef& def = op_def(graph_.op(node));
    auto [base, position] = onnx_result(def.name);
    if (position == 0 && def.further.empty()) {
      continue;
    }
    std::vector<NodeId> operands(graph_.operands(node).begin(), graph_.operands(node).end());
    NodeId head = first.emplace(std::tuple(base, graph_.attributes(node).id(), std::move(operands)), node).first->second;
    if (auto known = groups_.find(head);
        known != groups_.end() && position < known->second.size() && known->second[position] != kNoNode) {
      head = node;  // two calls of one form: the second is a node of its own
    }
    std::vector<NodeId>& results = groups_[head];
    results.resize(std::max(results.size(), position + 1), kNoNode);
    results[position] = node;
    group_of_[node] = head;
  }
}

OnnxWriter::Names OnnxWriter::result_names(NodeId call) {
  Names out;
  if (graph_.type(call).is_tuple()) {
    std::vector<std::string> named(graph_.type(call).items().size());
    for (const Use& use : graph_.uses(call)) {
      if (graph_.kind(use.user) == NodeKind::Projection && needed_[use.user]) {
        named[graph_.projection_index(use.user)] = names_.of(use.user);
      }
    }
    for (std::size_t k = 0; k < named.size(); ++k) {
      out.push_back(named[k].empty() ? names_.pool().claim(fmt::format("{}.{}", graph_.name(call), k)) : named[k]);
    }
    return out;
  }
  auto group = groups_.find(call);
  if (group == groups_.end()) {
    return {names_.of(call)};
  }
  for (NodeId result : group->second) {
    bool absent = result == kNoNode;
    out.push_back(!absent ? names_.of(result) : out.empty() ? names_.pool().claim(graph_.name(call) + "_y") : std::string());
  }
  return out;
}

OnnxWriter::Names OnnxWriter::operand_names(NodeId call) const {
  Names out;
  std::vector<NodeId> pending(graph_.operands(call).begin(), graph_.operands(call).end());
  for (NodeId operand : pending) {
    if (operand == kNoNode) {
      out.emplace_back();
    } else if (graph_.type(operand).is_tensor()) {
      out.push_back(names_.of(operand));
    } else if (graph_.kind(operand) == NodeKind::Tuple) {
      for (NodeId item : graph_.operands(operand)) {
        if (graph_.type(item).is_tensor()) {  // what a loop captures is a tuple within
          out.push_back(names_.of(item));
        }
      }
    }
  }
  while (!out.empty() && out.back().empty()) {
    out.pop_back();
  }
  return out;
}

// --- nodes

void OnnxWriter::emit_to(const Names& outputs, const std::string& op, const Names& inputs, Attributes attributes,
                         const std::string& name) {
  onnx::NodeProto& node = *proto_.add_node();
  node.set_op_type(op);
  node.set_name(name.empty() ? outputs[0] : name);
  for (const std::string& input : inputs) {
    node.add_input(input);
  }
  for (const std::string& output : outputs) {
    node.add_output(output);
  }
  for (onnx::AttributeProto& attribute : attributes) {
    *node.add_attribute() = std::move(attribute);
  }
}

std::string OnnxWriter::emit(const std::string& op, const Names& inputs, const std::string& wish, Attributes attributes) {
  std::string output = names_.pool().claim(wish);
  emit_to({output}, op, inputs, std::move(attributes));
  return output;
}

static onnx::AttributeProto onnx_tensor(const Tensor& value) {
  onnx::AttributeProto out;
  out.set_name("value");
  out.set_type(onnx::AttributeProto::TENSOR);
  fill_proto(value, {}, *out.mutable_t());
  return out;
}

std::string OnnxWriter::constant(const Tensor& value, const std::string& wish) {
  return emit("Constant", {}, wish, {onnx_tensor(value)});
}

std::string OnnxWriter::ints(const std::vector<std::int64_t>& values, const std::string& wish) {
  return constant(Tensor::of_ints(DType::Int64, {static_cast<std::int64_t>(values.size())}, values), wish);
}

bool OnnxWriter::fail(NodeId call, const std::string& message) {
  context_.diagnostics.error_at(fmt::format("node '{}'", graph_.name(call)), message);
  return false;
}

bool OnnxWriter::write_node(NodeId node) {
  switch (graph_.kind(node)) {
    case NodeKind::Parameter: fill_proto(graph_.value(node), names_.of(node), *proto_.add_initializer()); return true;
    case NodeKind::Constant: emit_to({names_.of(node)}, "Constant", {}, {onnx_tensor(graph_.value(node))}); return true;
    case NodeKind::Call: return write_call(node);
    case NodeKind::Erased:
    case NodeKind::Input:
    case NodeKind::Tuple:
    case NodeKind::Projection: return true;
  }
  return true;
}

bool OnnxWriter::write_call(NodeId call) {
  if (auto group = group_of_.find(call); group != group_of_.end()) {
    return group->second != call || write_plain_call(call);
  }
  return is_importable(op_def(graph_.op(call)).name) ? write_plain_call(call) : lower_to_onnx(*this, call);
}

bool OnnxWriter::write_plain_call(NodeId call) {
  Names inputs = operand_names(call);
  if (op_def(graph_.op(call)).name == "If") {
    inputs.resize(1);  // captured values are named by the branches themselves
  }
  Attributes attributes;
  if (!write_attributes(call, attributes) || !adapt_to_opset(*this, call, inputs, attributes)) {
    return false;
  }
  emit_to(result_names(call), std::string(onnx_result(op_def(graph_.op(call)).name).first), inputs, std::move(attributes),
          graph_.name(call));
  return true;
}

bool OnnxWriter::write_attributes(NodeId call, Attributes& attributes) {
  const OpDef& def = op_def(graph_.op(call));
  for (const auto& [name, value] : graph_.attributes(call).entries()) {
    for (const AttrDef& declared : def.attributes) {
      if (declared.name != name.name()) {
        continue;
      }
      if (value.graph()) {
        if (!write_nested(call, declared, *value.graph(), attributes)) {
          return false;
        }
      } else if (!fill_attribute(declared, value, attributes.emplace_back())) {
        return fail(call, fmt::format("attribute '{}' = {} of {} has no form in ONNX", name.name(), value.text(), def.name));
      }
    }
  }
  return true;
}

// The captured values are the items of the last tuple: all of If's, the inner tuple of Loop's.
bool OnnxWriter::write_nested(NodeId call, const AttrDef& declared, const Graph& nested, Attributes& attributes) {
  Names captured;
  NodeId tuple = graph_.operands(call).empty() ? kNoNode : graph_.operands(call).back();
  if (op_def(graph_.op(call)).name == "Loop") {
    auto items = graph_.operands(tuple);
    tuple = !items.empty() && graph_.type(items.back()).is_tuple() ? items.back() : kNoNode;
  }
  if (tuple != kNoNode && graph_.type(tuple).is_tuple()) {
    for (NodeId item : graph_.operands(tuple)) {
      captured.push_back(names_.of(item));
    }
  }
  onnx::AttributeProto& attribute = attributes.emplace_back();
  attribute.set_name(std::string(declared.name));
  attribute.set_type(onnx::AttributeProto::GRAPH);
  attribute.mutable_g()->set_name(fmt::format("{}_{}", graph_.name(call), declared.name));
  return OnnxWriter(context_, nested, *attribute.mutable_g()).write(captured);
}

// --- the graph

void OnnxWriter::write_value(const std::string& name, Type type, onnx::ValueInfoProto& value) const {
  value.set_name(name);
  auto* tensor = value.mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(onnx_of_dtype(type.dtype()));
  tensor->mutable_shape();
  for (Term extent : type.extents()) {
    auto* dim = tensor->mutable_shape()->add_dim();
    if (auto known = const_int(extent)) {
      dim->set_dim_value(*known);
    } else {
      dim->set_dim_param(extent.kind() == TermKind::IntVar ? extent->symbol.name() : print_term(extent));
    }
  }
}

void OnnxWriter::write_inputs(const Names& captured) {
  for (std::size_t i = 0; i < graph_.inputs().size(); ++i) {
    NodeId input = graph_.inputs()[i];
    if (i < captured.size()) {
      names_.set(input, captured[i]);
    } else {
      write_value(names_.of(input), graph_.type(input), *proto_.add_input());
    }
  }
}

// An output that is an input, a parameter, or a value that is another output too, is a copy.
void OnnxWriter::write_outputs() {
  for (std::size_t i = 0; i < graph_.outputs().size(); ++i) {
    NodeId node = graph_.outputs()[i].node;
    const std::string& name = names_.outputs()[i];
    if (names_.of(node) != name) {
      emit_to({name}, "Identity", {names_.of(node)});
    }
    write_value(name, graph_.type(node), *proto_.add_output());
  }
}

bool OnnxWriter::write(const Names& captured) {
  write_inputs(captured);
  bool complete = true;
  for (NodeId node : order_) {
    complete &= write_node(node);
  }
  write_outputs();
  return complete;
}

onnx::AttributeProto onnx_int(const std::string& name, std::int64_t value) {
  onnx::AttributeProto out;
  out.set_name(name);
  out.set_type(onnx::AttributeProto::INT);
  out.set_i(value);
  return out;
}

onnx::AttributeProto onnx_ints(const std::string& name, const std::vector<std::int64_t>& values) {
  onnx::AttributeProto out;
  out.set_name(name);
  out.set_type(onnx::AttributeProto::INTS);
  out.mutable_ints()->Add(values.begin(), values.end());
  return out;
}

onnx::AttributeProto onnx_string(const std::string& name, const std::string& value) {
  onnx::AttributeProto out;
  out.set_name(name);
  out.set_type(onnx::AttributeProto::STRING);
  out.set_s(value);
  return out;
}

onnx::AttributeProto onnx_float(const std::string& name, double value) {
  onnx::AttributeProto out;
  out.set_name(name);
  out.set_type(onnx::AttributeProto::FLOAT);
  out.set_f(static_cast<float>(value));
  return out;
}

}  // namespace vouch
