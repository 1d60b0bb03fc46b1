#include "io/onnx_write.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "graph/order.h"
#include "io/onnx_adapt.h"
#include "io/onnx_attribute.h"
#include "io/onnx_domain.h"
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

std::string OnnxWriter::unread_name(NodeId call, std::size_t result, const std::string& wish) {
  const OnnxNodeKept* read = known(call);
  if (read != nullptr && result < read->results.size() && !read->results[result].empty()) {
    return names_.pool().claim_own(read->results[result]);
  }
  bool left_out = read != nullptr && read->op == onnx_result(op_def(graph_.op(call)).name).first;
  return left_out ? std::string() : names_.pool().claim(wish);
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
      out.push_back(named[k].empty() ? unread_name(call, k, fmt::format("{}.{}", graph_.name(call), k)) : named[k]);
    }
    while (out.size() > 1 && out.back().empty()) {
      out.pop_back();
    }
    return out;
  }
  auto group = groups_.find(call);
  if (group == groups_.end()) {
    return {names_.of(call)};
  }
  for (NodeId result : group->second) {
    bool absent = result == kNoNode;
    out.push_back(!absent ? names_.of(result) : out.empty() ? unread_name(call, 0, graph_.name(call) + "_y") : std::string());
  }
  return out;
}

static bool is_value(Type type) { return type.is_tensor() || is_foreign(type); }

OnnxWriter::Names OnnxWriter::operand_names(NodeId call) const {
  Names out;
  std::vector<NodeId> pending(graph_.operands(call).begin(), graph_.operands(call).end());
  for (NodeId operand : pending) {
    if (operand == kNoNode) {
      out.emplace_back();
    } else if (is_value(graph_.type(operand))) {
      out.push_back(names_.of(operand));
    } else if (graph_.kind(operand) == NodeKind::Tuple) {
      for (NodeId item : graph_.operands(operand)) {
        if (is_value(graph_.type(item))) {  // what a loop captures is a tuple within
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

onnx::NodeProto& OnnxWriter::emit_to(const Names& outputs, const std::string& op, const Names& inputs, Attributes attributes,
                                     const std::string& name) {
  onnx::NodeProto& node = *proto_.add_node();
  node.set_op_type(op);
  node.set_name(context_.nodes.claim_own(name.empty() ? outputs[0] : name));
  for (const std::string& input : inputs) {
    node.add_input(input);
  }
  for (const std::string& output : outputs) {
    node.add_output(output);
  }
  for (onnx::AttributeProto& attribute : attributes) {
    *node.add_attribute() = std::move(attribute);
  }
  return node;
}

// Of what stands in the place of a node of the model, that node's.
std::string OnnxWriter::node_name(NodeId call, const Names& results) const {
  const OnnxNodeKept* read = known(call);
  std::string name = read == nullptr ? graph_.name(call) : read->node.empty() ? read->value : read->node;
  auto given = std::find_if(results.begin(), results.end(), [](const std::string& result) { return !result.empty(); });
  return name.empty() && given != results.end() ? *given : name;
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
    case NodeKind::Parameter: write_parameter(node); return true;
    case NodeKind::Constant:
      emit_to({names_.of(node)}, "Constant", {}, {onnx_tensor(graph_.value(node))}, node_name(node, {}));
      return true;
    case NodeKind::Call: return write_call(node);
    case NodeKind::Erased:
    case NodeKind::Input:
    case NodeKind::Tuple:
    case NodeKind::Projection: return true;
  }
  return true;
}

void OnnxWriter::write_parameter(NodeId parameter) {
  if (names_.is_around(parameter)) {
    return;
  }
  fill_proto(graph_.value(parameter), names_.of(parameter), *proto_.add_initializer());
  if (!nested_) {
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
  return is_importable(op_def(graph_.op(call)).name) ? write_plain_call(call) : lower_to_onnx(*this, call);
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
  std::string op(onnx_result(op_def(graph_.op(call)).name).first);
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
  if (read != nullptr && !read->doc.empty()) {
    node.set_doc_string(read->doc);
  }
  return true;
}

bool OnnxWriter::write_attributes(NodeId call, const std::string& node, Attributes& attributes) {
  const OpDef& def = op_def(graph_.op(call));
  for (const auto& [name, value] : graph_.attributes(call).entries()) {
    for (const AttrDef& declared : def.attributes) {
      if (declared.name != name.name()) {
        continue;
      }
      if (value.graph()) {
        onnx::AttributeProto& attribute = attributes.emplace_back();
        attribute.set_name(std::string(declared.name));
        attribute.mutable_g()->set_name(body_name(call, node, declared.name));
        if (!write_nested(call, *value.graph(), attribute)) {
          return false;
        }
      } else if (!fill_attribute(declared, value, attributes.emplace_back())) {
        return fail(call, fmt::format("attribute '{}' = {} of {} has no form in ONNX", name.name(), value.text(), def.name));
      }
    }
  }
  return true;
}

// As the model calls the graph.
std::string OnnxWriter::body_name(NodeId call, const std::string& name, std::string_view attribute) const {
  if (const OnnxNodeKept* read = known(call)) {
    auto given = read->bodies.find(attribute);
    if (given != read->bodies.end() && !given->second.empty()) {
      return given->second;
    }
  }
  return fmt::format("{}_{}", name, attribute);
}

// The captured values are the items of the last tuple: all of If's, the inner tuple of what other values come before.
bool OnnxWriter::write_nested(NodeId call, const Graph& nested, onnx::AttributeProto& attribute) {
  Names captured;
  NodeId tuple = graph_.operands(call).empty() ? kNoNode : graph_.operands(call).back();
  if (op_def(graph_.op(call)).operands.back().kind == OperandKind::Tuple) {
    auto items = graph_.operands(tuple);
    tuple = !items.empty() && graph_.type(items.back()).is_tuple() ? items.back() : kNoNode;
  }
  if (tuple != kNoNode && graph_.type(tuple).is_tuple()) {
    for (NodeId item : graph_.operands(tuple)) {
      captured.push_back(names_.of(item));
    }
  }
  attribute.set_type(onnx::AttributeProto::GRAPH);
  return OnnxWriter(context_, nested, *attribute.mutable_g(), true).write(captured);
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
  if (!is_foreign(type) && says_less) {
    out.clear_type();
    declare_type(type, *out.mutable_type());
  } else if (found == nullptr) {
    declare_type(type, *out.mutable_type());
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

void OnnxWriter::write_inputs(const Names& captured) {
  for (std::size_t i = 0; i < graph_.inputs().size(); ++i) {
    NodeId input = graph_.inputs()[i];
    if (i < captured.size()) {
      names_.set(input, captured[i]);
      continue;
    }
    declare(names_.of(input), graph_.type(input), nested_ ? nullptr : declared_inputs(context_), *proto_.add_input());
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
