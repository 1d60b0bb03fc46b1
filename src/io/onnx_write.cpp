#include "io/onnx_write.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/order.h"
#include "io/onnx_adapt.h"
#include "io/onnx_domain.h"
#include "io/onnx_earlier.h"
#include "io/onnx_newer.h"
#include "io/onnx_order.h"
#include "io/onnx_tensor.h"
#include "support/fault.h"

namespace vouch {

OnnxWriter::OnnxWriter(OnnxExportContext& context, const Graph& graph, onnx::GraphProto& proto, bool nested)
    : context_(context),
      graph_(graph),
      proto_(proto),
      nested_(nested),
      order_(reverse_post_order(graph)),
      needed_(graph.id_limit()),
      names_(graph, order_, context.values, context.kept, [this](NodeId parameter) { return parameter_around(parameter); }) {
  for (NodeId node : order_) {
    needed_[node] = true;
  }
  group_further_results(order_);
}

// A nested graph has copies of the constants around it; each is written once, in the outermost graph.
std::optional<std::string> OnnxWriter::parameter_around(NodeId parameter) {
  const std::string name = graph_.name(parameter);
  bool shared = context_.kept != nullptr && context_.kept->initializers.count(name) != 0;
  if (!nested_ || !shared) {
    return std::nullopt;
  }
  const Tensor& value = graph_.value(parameter);
  auto [found, is_new] = context_.parameters.try_emplace(name, OnnxExportContext::Shared{&value, {}});
  if (is_new) {
    found->second.name = context_.values.claim_own(name);
    fill_proto(value, found->second.name, *context_.outermost->add_initializer());
  }
  return *found->second.value == value ? std::optional(found->second.name) : std::nullopt;
}

std::string OnnxWriter::emit(const std::string& op, const Names& inputs, const std::string& wish, Attributes attributes) {
  std::string output = names_.pool().claim(wish);
  emit_to({output}, op, inputs, std::move(attributes));
  return output;
}

bool OnnxWriter::fail(NodeId call, const std::string& message) {
  context_.diagnostics.error_at(fmt::format("node '{}'", graph_.name(call)), message);
  return false;
}

bool OnnxWriter::write_node(NodeId node) {
  switch (graph_.kind(node)) {
    case NodeKind::Parameter: write_parameter(node); return true;
    case NodeKind::Constant:
      add_told(node, emit_to({names_.of(node)}, "Constant", {}, {onnx_tensor(graph_.value(node))}, node_name(node, {})));
      return true;
    case NodeKind::Call: return write_call(node);
    case NodeKind::Erased:
    case NodeKind::Input:
    case NodeKind::Tuple:
    case NodeKind::Projection: return true;
  }
  return true;
}

void OnnxWriter::add_told(const std::string& initializer, onnx::TensorProto& tensor) const {
  if (context_.kept == nullptr) {
    return;
  }
  if (auto found = context_.kept->told.find(initializer); found != context_.kept->told.end()) {
    tensor.MergeFrom(found->second);
  }
}

void OnnxWriter::add_told(NodeId node, onnx::NodeProto& proto) const {
  const OnnxNodeKept* read = known(node);
  if (read == nullptr) {
    return;
  }
  if (!read->doc.empty()) {
    proto.set_doc_string(read->doc);
  }
  add_newer_fields(read->newer, proto);
}

void OnnxWriter::write_parameter(NodeId parameter) {
  if (names_.is_around(parameter)) {
    return;
  }
  onnx::TensorProto& tensor = *proto_.add_initializer();
  fill_proto(graph_.value(parameter), names_.of(parameter), tensor);
  if (!nested_) {
    add_told(graph_.name(parameter), tensor);
    context_.parameters.insert_or_assign(graph_.name(parameter),
                                         OnnxExportContext::Shared{&graph_.value(parameter), names_.of(parameter)});
  }
}

void OnnxWriter::write_foreign_value(const std::string& name, const ForeignCall& call) {
  Diagnostics none;
  onnx::TensorProto& tensor = *proto_.add_initializer();
  ensure(parse_message(call.spelling, tensor, {}, none), "a foreign value is spelt as it was read");
  tensor.set_name(name);
}

bool OnnxWriter::write_foreign(NodeId call) {
  ForeignCall foreign = foreign_call(graph_.attributes(call));
  Names outputs = result_names(call);
  if (foreign.is_value) {
    write_foreign_value(outputs[0], foreign);
    return true;
  }
  Diagnostics none;
  onnx::NodeProto& node = *proto_.add_node();
  ensure(parse_message(foreign.spelling, node, {}, none), "a foreign node is spelt as it was read");
  rename_operands(node, operand_names(call), [this](const std::string& own) { return context_.values.claim_own(own); });
  for (int k = 0; k < node.output_size(); ++k) {
    if (node.output(k).empty()) {
      continue;
    }
    node.set_output(k, outputs[static_cast<std::size_t>(k)]);
    if (Type type = foreign.results[static_cast<std::size_t>(k)]; type.is_tensor()) {
      declare(node.output(k), type, nullptr, *proto_.add_value_info());  // nothing else says so
    }
  }
  node.set_name(context_.nodes.claim_own(node.name().empty() ? outputs[0] : node.name()));
  context_.domains.insert(node.domain());
  return true;
}

bool OnnxWriter::write_call(NodeId call) {
  if (graph_.op(call) == foreign_op()) {
    return write_foreign(call);
  }
  if (auto group = group_of_.find(call); group != group_of_.end()) {
    return group->second != call || write_plain_call(call);
  }
  const EarlierOperator* earlier = earlier_known_as(op_def(graph_.op(call)).name);
  bool plain = earlier != nullptr ? context_.opset < earlier->before : is_importable(op_def(graph_.op(call)).name);
  return plain ? write_plain_call(call) : lower_to_onnx(*this, call);
}

bool OnnxWriter::write_plain_call(NodeId call) {
  Names inputs = operand_names(call);
  if (op_def(graph_.op(call)).name == "If") {
    inputs.resize(1);  // captured values are named by the branches themselves
  }
  Names results = result_names(call);
  std::string name = node_name(call, results);
  Attributes attributes;
  if (!write_attributes(call, name, attributes)) {
    return false;
  }
  const EarlierOperator* earlier = earlier_known_as(op_def(graph_.op(call)).name);
  std::string op(earlier != nullptr ? earlier->op : onnx_result(op_def(graph_.op(call)).name).first);
  const OnnxNodeKept* read = known(call);
  bool as_read = read != nullptr && !is_standard_domain(read->domain) && operator_of_onnx(read->domain, read->op) == op;
  std::string domain(as_read ? read->domain : onnx_domain(op));
  if (as_read) {
    op = read->op;
  } else if (domain.empty()) {
    adapt_to_opset(*this, call, op, inputs, attributes);
  }
  onnx::NodeProto& node = emit_to(results, op, inputs, std::move(attributes), name);
  if (!domain.empty()) {
    node.set_domain(domain);
    context_.domains.insert(domain);
  }
  add_told(call, node);
  return true;
}

// --- the graph

// As the model declares a value of this name, if it does: documentation and names of sizes stay.
void OnnxWriter::declare(const std::string& name, Type type,
                         const google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>* known, onnx::ValueInfoProto& out) const {
  auto found = known == nullptr ? nullptr : [&]() -> const onnx::ValueInfoProto* {
    auto at = std::find_if(known->begin(), known->end(), [&](const auto& value) { return value.name() == name; });
    return at == known->end() ? nullptr : &*at;
  }();
  if (found != nullptr) {
    out = *found;
  }
  out.set_name(name);
  bool says_less = !out.type().has_tensor_type() || !out.type().tensor_type().has_shape();
  if ((is_foreign(type) || !says_less) && found != nullptr) {
    return;
  }
  out.clear_type();
  declare_type(type, *out.mutable_type());
  if (out.type().has_tensor_type()) {
    for (auto& dim : *out.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim()) {
      if (context_.open_sizes.count(dim.dim_param()) != 0) {
        dim.clear_dim_param();
      }
    }
  }
}

static const google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>* declared_inputs(const OnnxExportContext& context) {
  return context.kept == nullptr ? nullptr : &context.kept->shell.graph().input();
}

static const google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>* declared_outputs(const OnnxExportContext& context) {
  return context.kept == nullptr ? nullptr : &context.kept->shell.graph().output();
}

static const onnx::TensorProto* default_of(const OnnxKept& kept, const std::string& input) {
  auto found = kept.defaults.find(input);
  return found == kept.defaults.end() ? nullptr : &found->second;
}

// Sizes that a declaration leaves open.
static void note_open_sizes(Type type, const onnx::ValueInfoProto& declared, std::set<std::string>& open) {
  const auto& dims = declared.type().tensor_type().shape().dim();
  for (int axis = 0; type.is_tensor() && axis < dims.size(); ++axis) {
    if (dims[axis].value_case() == onnx::TensorShapeProto::Dimension::VALUE_NOT_SET) {
      open.insert(open_size_name(declared.name(), axis));
    }
  }
}

void OnnxWriter::write_inputs(const Names& captured) {
  for (std::size_t i = 0; i < graph_.inputs().size(); ++i) {
    NodeId input = graph_.inputs()[i];
    if (i < captured.size()) {
      names_.set(input, captured[i]);
      continue;
    }
    declare(names_.of(input), graph_.type(input), nested_ ? nullptr : declared_inputs(context_), *proto_.add_input());
    if (!nested_) {
      note_open_sizes(graph_.type(input), proto_.input(proto_.input_size() - 1), context_.open_sizes);
    }
    auto value = nested_ || context_.kept == nullptr ? nullptr : default_of(*context_.kept, graph_.name(input));
    if (value != nullptr) {
      *proto_.add_initializer() = *value;
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
    declare(name, graph_.type(node), nested_ ? nullptr : declared_outputs(context_), *proto_.add_output());
  }
}

bool OnnxWriter::write(const Names& captured) {
  write_inputs(captured);
  bool complete = true;
  for (NodeId node : order_) {
    complete &= write_node(node);
  }
  write_outputs();
  drop_unread_constants();
  if (nested_) {
    names_.release();  // a graph beside this one may have the same names
  }
  return complete;
}

// Constants that were operands and are attributes in the opset that is written.
void OnnxWriter::drop_unread_constants() {
  std::unordered_set<std::string_view> read;
  for (const auto& node : proto_.node()) {
    for (std::string_view name : names_read(node)) {
      read.insert(name);
    }
  }
  for (const auto* list : {&proto_.output(), &proto_.input()}) {
    for (const auto& value : *list) {
      read.insert(value.name());
    }
  }
  auto is_read = [&](const onnx::NodeProto& node) {
    return node.op_type() != "Constant" || node.input_size() != 0 || read.count(node.output(0)) != 0;
  };
  auto* nodes = proto_.mutable_node();
  auto kept =
      std::stable_partition(nodes->pointer_begin(), nodes->pointer_end(), [&](const auto* node) { return is_read(*node); });
  nodes->DeleteSubrange(static_cast<int>(kept - nodes->pointer_begin()), static_cast<int>(nodes->pointer_end() - kept));
  if (!nested_) {
    auto* tensors = proto_.mutable_initializer();
    auto last = std::stable_partition(tensors->pointer_begin(), tensors->pointer_end(),
                                      [&](const auto* tensor) { return read.count(tensor->name()) != 0; });
    tensors->DeleteSubrange(static_cast<int>(last - tensors->pointer_begin()), static_cast<int>(tensors->pointer_end() - last));
  }
}

}  // namespace vouch
