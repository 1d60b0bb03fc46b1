#include "io/onnx_scope.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/unknown_size.h"
#include "io/onnx_foreign.h"
#include "io/onnx_newer.h"
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
  shared_.prefer(graph_, copy);
  return copy;
}

void OnnxScope::note_reads(const onnx::GraphProto& proto) {
  for (const Node& node : proto.node()) {
    std::vector<std::string_view> reads = names_read(node);
    read_names_.insert(reads.begin(), reads.end());
  }
}

void OnnxScope::collect_names() {
  for (const auto* list : {&proto_.value_info(), &proto_.output(), &proto_.input()}) {
    for (const auto& value : *list) {
      declared_[value.name()] = &value;
    }
  }
  for (const auto& input : proto_.input()) {
    input_names_.insert(input.name());
  }
  note_reads(proto_);
  for (const Node& node : proto_.node()) {
    given_names_.insert(node.output().begin(), node.output().end());
  }
  for (const auto& output : proto_.output()) {
    output_names_.insert(output.name());
  }
  read_names_.insert(output_names_.begin(), output_names_.end());
}

std::optional<Graph> OnnxScope::read(const Surroundings& surroundings) {
  path_ = surroundings.path;
  collect_names();
  add_captures(surroundings.captures);
  add_inputs(surroundings.input_types);
  add_nodes_of(proto_);
  add_outputs();
  return complete_ ? std::optional(std::move(graph_)) : std::nullopt;
}

void OnnxScope::add_nodes_of(const onnx::GraphProto& proto) {
  add_initializers(proto);
  if (!complete_) {
    return;
  }
  auto order = order_nodes(
      proto, [this](std::string_view name) { return is_known(name); }, context_.model, context_.diagnostics);
  complete_ &= order.has_value();
  for (const Node* node : order ? *order : std::vector<const Node*>()) {
    add_node(*node);
  }
}

void OnnxScope::add_captures(const std::vector<std::string_view>& names) {
  for (std::string_view name : names) {
    Type type = outer_->graph_.type(outer_->lookup(name));
    define(name, graph_.add_input(std::string(name), type), place(fmt::format("value '{}'", name)));
  }
}

// --- inputs, initialisers, outputs

// A size that is there must be one; all together give an element count.
bool OnnxScope::declares_countable(const onnx::ValueInfoProto& input) {
  Extents known;
  for (const auto& dim : input.type().tensor_type().shape().dim()) {
    known.push_back(std::max<std::int64_t>(dim.dim_value(), 1));
  }
  return element_count(known) || error(place(fmt::format("input '{}'", input.name())), "it has no element count within 64 bits");
}

// From IR version 4 on an initialiser that is an input too is what the input is where nothing is fed.
bool OnnxScope::need_not_be_fed(const std::string& name) const {
  constexpr std::int64_t kFirstOptionalInputs = 4;
  return outer_ == nullptr && context_.kept.shell.ir_version() >= kFirstOptionalInputs && input_names_.count(name) != 0;
}

bool OnnxScope::is_overridable(const std::string& name) const {
  const OnnxOptions& options = context_.options;
  return need_not_be_fed(name) && (!options.unfed_are_weights || options.still_fed.count(name) != 0);
}

void OnnxScope::add_fixed_input(const NamedTensor& fixed) {
  define(fixed.name, graph_.add_constant(fixed.tensor, fixed.name), place(fmt::format("input '{}'", fixed.name)));
}

void OnnxScope::add_inputs(const std::vector<Type>& hints) {
  std::unordered_set<std::string_view> constants;
  for (const auto& tensor : proto_.initializer()) {
    constants.insert(tensor.name());
  }
  for (const auto& tensor : proto_.sparse_initializer()) {
    constants.insert(tensor.values().name());
  }
  for (int i = 0; i < proto_.input_size(); ++i) {
    const auto& input = proto_.input(i);
    if (constants.count(input.name()) == 0 || is_overridable(input.name())) {
      add_input(input, static_cast<std::size_t>(i) < hints.size() ? hints[static_cast<std::size_t>(i)] : Type());
    }
  }
}

std::string OnnxScope::size_place(const std::string& value) const { return unknown_size_name(path_ + value); }

std::string OnnxScope::size_place(const onnx::ValueInfoProto& input) const {
  bool taken = outer_ != nullptr;
  for (int axis = 0; axis < input.type().tensor_type().shape().dim_size(); ++axis) {
    taken |= context_.size_names.count(open_size_name(input.name(), axis)) != 0;
  }
  return taken || is_unknown_size(input.name()) ? size_place(input.name()) : input.name();
}

void OnnxScope::add_input(const onnx::ValueInfoProto& input, Type hint) {
  const std::vector<NamedTensor>& fixed = context_.options.fixed_inputs;
  auto value = std::find_if(fixed.begin(), fixed.end(), [&](const NamedTensor& f) { return f.name == input.name(); });
  if (outer_ == nullptr && value != fixed.end()) {
    return add_fixed_input(*value);
  }
  if (!declares_countable(input)) {
    return;
  }
  Type type = declared_type(input.type(), size_place(input));
  if (!type.is_tensor() && hint) {
    type = hint;
  }
  define(input.name(), graph_.add_input(input.name(), type), place(fmt::format("input '{}'", input.name())));
}

void OnnxScope::add_parameter(const std::string& name, std::optional<Tensor> value) {
  complete_ &= value.has_value();
  if (value) {
    NodeId parameter = graph_.add_parameter(name, std::move(*value));
    if (!need_not_be_fed(name)) {
      shared_.note(graph_, parameter);
    }
    define(name, parameter, place(fmt::format("initializer '{}'", name)));
  }
}

// Documentation and metadata stay with the initialiser.
void OnnxScope::note_told(const onnx::TensorProto& tensor) {
  std::string newer = newer_fields(tensor);
  if (!newer.empty() || tensor.has_doc_string()) {
    onnx::TensorProto& told = context_.kept.told[tensor.name()];
    told.set_doc_string(tensor.doc_string());
    add_newer_fields(newer, told);
  }
}

void OnnxScope::add_initializers(const onnx::GraphProto& proto) {
  for (const auto& tensor : proto.initializer()) {
    TensorSource source{context_.folder, place(fmt::format("initializer '{}'", tensor.name())), &context_.kept.weight_files};
    if (outer_ == nullptr) {
      context_.kept.initializers.insert(tensor.name());
      note_told(tensor);
    }
    if (is_overridable(tensor.name())) {
      add_default(tensor);
      continue;
    }
    if (need_not_be_fed(tensor.name())) {
      context_.unfed.insert(tensor.name());
    }
    if (is_foreign_element(tensor.data_type())) {
      add_foreign_value(tensor, tensor.name(), source.place);
    } else {
      add_parameter(tensor.name(), tensor_of_proto(tensor, source, context_.diagnostics));
    }
  }
  for (const auto& tensor : proto.sparse_initializer()) {
    TensorSource source{context_.folder, place(fmt::format("initializer '{}'", tensor.values().name())),
                        &context_.kept.weight_files};
    add_parameter(tensor.values().name(), tensor_of_sparse(tensor, source, context_.diagnostics));
  }
}

// What an input is where nothing is fed; it must fit the input's type.
void OnnxScope::add_default(const onnx::TensorProto& tensor) {
  std::string where = place(fmt::format("initializer '{}'", tensor.name()));
  onnx::TensorProto& kept = context_.kept.defaults[tensor.name()] = tensor;
  complete_ &= make_self_contained(kept, where);
  if (complete_ && !is_foreign_element(tensor.data_type())) {
    auto value = tensor_of_proto(kept, {{}, where, nullptr}, context_.diagnostics);
    complete_ &= value.has_value();
    if (value) {
      context_.defaults.push_back({tensor.name(), std::move(*value)});
    }
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

}  // namespace vouch
