#include "io/onnx_scope.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/onnx_adapt.h"
#include "io/onnx_attribute.h"
#include "io/onnx_order.h"

namespace vouch {

OnnxScope::OnnxScope(OnnxImportContext& context, const onnx::GraphProto& proto, OnnxScope* outer)
    : context_(context), proto_(proto), outer_(outer) {}

std::string OnnxScope::place(const std::string& what) const { return fmt::format("{}: {}", context_.model, what); }

bool OnnxScope::error(const std::string& where, const std::string& message) {
  context_.diagnostics.error_at(where, message);
  complete_ = false;
  return false;
}

void OnnxScope::define(std::string_view name, NodeId node, const std::string& where) {
  if (!values_.emplace(name, node).second) {
    error(where, fmt::format("the value '{}' is defined a second time", name));
  }
}

bool OnnxScope::is_known(std::string_view name) const { return values_.count(name) != 0 || (outer_ && outer_->is_known(name)); }

NodeId OnnxScope::lookup(std::string_view name) {
  if (auto found = values_.find(name); found != values_.end()) {
    return found->second;
  }
  NodeId around = outer_ ? outer_->lookup(name) : kNoNode;
  if (around == kNoNode || !outer_->graph_.has_value(around)) {
    return kNoNode;
  }
  NodeId copy = graph_.add_parameter(std::string(name), outer_->graph_.value(around));
  values_.emplace(name, copy);
  return copy;
}

void OnnxScope::collect_names() {
  for (const auto& input : proto_.input()) {
    value_names_.insert(input.name());
  }
  for (const auto& tensor : proto_.initializer()) {
    value_names_.insert(tensor.name());
  }
  for (const Node& node : proto_.node()) {
    value_names_.insert(node.output().begin(), node.output().end());
    std::vector<std::string_view> reads = names_read(node);
    read_names_.insert(reads.begin(), reads.end());
  }
  for (const auto& output : proto_.output()) {
    read_names_.insert(output.name());
  }
}

std::optional<Graph> OnnxScope::read(const Surroundings& surroundings) {
  collect_names();
  add_captures(surroundings.captures);
  add_initializers();
  add_inputs(surroundings.input_types);
  if (!complete_) {
    return std::nullopt;
  }
  auto order = order_nodes(
      proto_, [this](std::string_view name) { return is_known(name); }, context_.model, context_.diagnostics);
  if (!order) {
    return std::nullopt;
  }
  for (const Node* node : *order) {
    add_node(*node);
  }
  add_outputs();
  return complete_ ? std::optional(std::move(graph_)) : std::nullopt;
}

void OnnxScope::add_captures(const std::vector<std::string_view>& names) {
  for (std::string_view name : names) {
    Type type = outer_->graph_.type(outer_->lookup(name));
    define(name, graph_.add_input(std::string(name), type), place(fmt::format("value '{}'", name)));
  }
}

// --- inputs, initialisers, outputs

Term OnnxScope::input_extent(const onnx::TensorShapeProto::Dimension& dim, const std::string& input, int axis) {
  if (dim.has_dim_value() && dim.dim_value() > 0) {
    return dim.dim_value();
  }
  return int_var(dim.dim_param().empty() ? fmt::format("{}.{}", input, axis) : dim.dim_param());
}

std::optional<Type> OnnxScope::input_type(const onnx::ValueInfoProto& input) {
  std::string where = place(fmt::format("input '{}'", input.name()));
  if (!input.type().has_tensor_type()) {
    error(where, "expected a tensor: sequences, maps and optional values are not supported");
    return std::nullopt;
  }
  const auto& tensor = input.type().tensor_type();
  auto dtype = dtype_of_onnx(tensor.elem_type());
  if (!dtype) {
    error(where, fmt::format("tensors of element type {} are not supported", onnx_type_name(tensor.elem_type())));
    return std::nullopt;
  }
  if (!tensor.has_shape()) {
    error(where, "the model does not say how many axes it has");
    return std::nullopt;
  }
  std::vector<Term> extents;
  Extents known;
  for (int axis = 0; axis < tensor.shape().dim_size(); ++axis) {
    const auto& dim = tensor.shape().dim(axis);
    if (dim.dim_value() < 0 && dim.dim_param().empty()) {
      error(where, fmt::format("axis {} has the negative size {}", axis, dim.dim_value()));
      return std::nullopt;
    }
    extents.push_back(input_extent(dim, input.name(), axis));
    known.push_back(std::max<std::int64_t>(dim.dim_value(), 1));
  }
  if (!element_count(known)) {
    error(where, "it has no element count within 64 bits");
    return std::nullopt;
  }
  return Type::tensor(*dtype, std::move(extents));
}

void OnnxScope::add_fixed_input(const NamedTensor& fixed) {
  define(fixed.name, graph_.add_constant(fixed.tensor, fixed.name), place(fmt::format("input '{}'", fixed.name)));
}

void OnnxScope::add_inputs(const std::vector<Type>& hints) {
  const std::vector<NamedTensor>& fixed = context_.options.fixed_inputs;
  for (int i = 0; i < proto_.input_size(); ++i) {
    const auto& input = proto_.input(i);
    if (values_.count(input.name()) != 0 && graph_.has_value(values_.at(input.name()))) {
      continue;  // an initialiser that is listed as an input
    }
    auto value = std::find_if(fixed.begin(), fixed.end(), [&](const NamedTensor& f) { return f.name == input.name(); });
    if (!outer_ && value != fixed.end()) {
      add_fixed_input(*value);
      continue;
    }
    auto hint = static_cast<std::size_t>(i) < hints.size() ? hints[static_cast<std::size_t>(i)] : Type();
    bool open = !input.type().tensor_type().has_shape() && hint.is_tensor();
    if (auto type = open ? std::optional(hint) : input_type(input)) {
      define(input.name(), graph_.add_input(input.name(), *type), place(fmt::format("input '{}'", input.name())));
    }
  }
}

void OnnxScope::add_parameter(const std::string& name, std::optional<Tensor> value) {
  complete_ &= value.has_value();
  if (value) {
    define(name, graph_.add_parameter(name, std::move(*value)), place(fmt::format("initializer '{}'", name)));
  }
}

void OnnxScope::add_initializers() {
  for (const auto& tensor : proto_.initializer()) {
    TensorSource source{context_.folder, place(fmt::format("initializer '{}'", tensor.name()))};
    add_parameter(tensor.name(), tensor_of_proto(tensor, source, context_.diagnostics));
  }
  for (const auto& tensor : proto_.sparse_initializer()) {
    TensorSource source{context_.folder, place(fmt::format("initializer '{}'", tensor.values().name()))};
    add_parameter(tensor.values().name(), tensor_of_sparse(tensor, source, context_.diagnostics));
  }
}

void OnnxScope::add_outputs() {
  for (const auto& output : proto_.output()) {
    if (!is_known(output.name())) {
      error(place(fmt::format("output '{}'", output.name())), "nothing defines this value");
    } else if (NodeId node = lookup(output.name()); node != kNoNode) {
      graph_.add_output(output.name(), node);
    }
  }
  if (complete_ && proto_.output_size() == 0) {
    error(context_.model, "the graph has no outputs");
  }
}

// --- nodes

std::shared_ptr<const Graph> OnnxScope::read_nested(const onnx::GraphProto& proto, const Surroundings& surroundings) {
  auto graph = OnnxScope(context_, proto, this).read(surroundings);
  return graph ? std::make_shared<const Graph>(std::move(*graph)) : nullptr;
}

std::vector<std::string_view> OnnxScope::nested_captures(const Node& node) {
  std::vector<std::string_view> out;
  for (const auto& attribute : node.attribute()) {
    if (!attribute.has_g()) {
      continue;
    }
    for (std::string_view name : names_captured(attribute.g())) {
      NodeId value = lookup(name);
      if (value != kNoNode && !graph_.has_value(value) && std::find(out.begin(), out.end(), name) == out.end()) {
        out.push_back(name);
      }
    }
  }
  return out;
}

bool OnnxScope::fill_draft(OnnxDraft& draft) {
  for (const std::string& input : draft.node().input()) {
    NodeId operand = input.empty() ? kNoNode : lookup(input);
    if (operand == kNoNode && !input.empty()) {
      return complete_ = false;  // what gives it has been reported
    }
    draft.operands.push_back(operand);
  }
  Surroundings surroundings{nested_captures(draft.node()), {}};
  const std::vector<std::string_view>& captures = surroundings.captures;
  if (draft.op == "Loop") {  // iteration, condition, carried values
    surroundings.input_types = {Type::tensor(DType::Int64, Extents()), Type::tensor(DType::Bool, Extents())};
    for (std::size_t k = 2; k < draft.operands.size(); ++k) {
      surroundings.input_types.push_back(draft.has(k) ? draft.type(k) : Type());
    }
  }
  TensorSource source{context_.folder, draft.place()};
  auto nested = [&](const onnx::GraphProto& proto) { return read_nested(proto, surroundings); };
  for (const auto& attribute : draft.node().attribute()) {
    if (reads_attribute_itself(draft.node(), attribute.name())) {
      continue;
    }
    auto value = attribute_of_onnx(attribute, source, nested, context_.diagnostics);
    if (!value || !draft.add_attribute(attribute.name(), std::move(*value))) {
      return complete_ = false;
    }
  }
  if (!captures.empty()) {
    std::vector<NodeId> items;
    std::transform(captures.begin(), captures.end(), std::back_inserter(items),
                   [this](std::string_view name) { return lookup(name); });
    draft.operands.push_back(graph_.add_tuple(items));
  }
  return true;
}

void OnnxScope::add_node(const Node& node) {
  std::string where = place(onnx_node_text(node));
  if (node.op_type() == "Constant") {
    return add_constant(node);
  }
  std::vector<bool> wanted;
  for (const std::string& output : node.output()) {
    wanted.push_back(!output.empty() && read_names_.count(output) != 0);
  }
  OnnxDraft draft(graph_, node, std::move(wanted), context_.opset, where, context_.diagnostics);
  if (fill_draft(draft)) {
    adapt_node(draft);
    draft.finish();
  }
  complete_ &= !draft.failed();
  draft.results.resize(static_cast<std::size_t>(node.output_size()), kNoNode);
  for (int i = 0; i < node.output_size(); ++i) {
    if (!node.output(i).empty()) {
      define(node.output(i), draft.results[static_cast<std::size_t>(i)], where);
    }
  }
  name_results(draft);
}

bool OnnxScope::claim_name(const std::string& name, const Node& node) {
  bool own = std::find(node.output().begin(), node.output().end(), name) != node.output().end();
  return !name.empty() && (own || value_names_.count(name) == 0) && node_names_.insert(name).second;
}

// A node of one result is named as in the file if that name is free, else by its value. Of several results each is
// named by its value.
void OnnxScope::name_results(const OnnxDraft& draft) {
  const Node& node = draft.node();
  bool single = std::count_if(draft.results.begin(), draft.results.end(), [](NodeId id) { return id != kNoNode; }) == 1;
  for (std::size_t i = 0; i < draft.results.size(); ++i) {
    NodeId result = draft.results[i];
    if (result == kNoNode || graph_.kind(result) == NodeKind::Input || graph_.kind(result) == NodeKind::Parameter) {
      continue;
    }
    const std::string& value = node.output(static_cast<int>(i));
    if (single && claim_name(node.name(), node)) {
      graph_.set_name(result, node.name());
    } else if (!value.empty() && node_names_.insert(value).second) {
      graph_.set_name(result, value);
    }
  }
}

// --- constants

void OnnxScope::add_constant(const Node& node) {
  std::string where = place(onnx_node_text(node));
  if (node.output_size() != 1) {
    error(where, fmt::format("Constant has one output, found {}", node.output_size()));
    return;
  }
  auto value = constant_value(node, where);
  complete_ &= value.has_value();
  define(node.output(0), value ? graph_.add_constant(std::move(*value), node.output(0)) : kNoNode, where);
}

std::optional<Tensor> OnnxScope::constant_value(const Node& node, const std::string& where) {
  TensorSource source{context_.folder, where};
  if (node.attribute_size() != 1) {
    error(where, fmt::format("Constant has one attribute, found {}", node.attribute_size()));
    return std::nullopt;
  }
  const auto& attribute = node.attribute(0);
  if (attribute.name() == "value") {
    return tensor_of_proto(attribute.t(), source, context_.diagnostics);
  }
  if (attribute.name() == "sparse_value") {
    return tensor_of_sparse(attribute.sparse_tensor(), source, context_.diagnostics);
  }
  if (attribute.name() == "value_int") {
    return Tensor::of_ints(DType::Int64, {}, std::span(std::initializer_list<std::int64_t>{attribute.i()}));
  }
  if (attribute.name() == "value_ints") {
    auto count = static_cast<std::size_t>(attribute.ints_size());
    return Tensor::of_ints(DType::Int64, {attribute.ints_size()}, {attribute.ints().data(), count});
  }
  if (attribute.name() == "value_float") {
    return Tensor::of_doubles(DType::Float32, {}, std::span(std::initializer_list<double>{attribute.f()}));
  }
  if (attribute.name() == "value_floats") {
    std::vector<double> values(attribute.floats().begin(), attribute.floats().end());
    return Tensor::of_doubles(DType::Float32, {attribute.floats_size()}, values);
  }
  error(where, fmt::format("constants given as '{}' are not supported", attribute.name()));
  return std::nullopt;
}

}  // namespace vouch
