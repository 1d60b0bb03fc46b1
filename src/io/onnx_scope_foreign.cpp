// What a scope keeps as it is.
#include <fmt/format.h>

#include "io/onnx_foreign.h"
#include "io/onnx_order.h"
#include "io/onnx_scope.h"

namespace vouch {

// With its elements in the message, wherever they were.
bool OnnxScope::make_self_contained(onnx::TensorProto& tensor, const std::string& where) {
  if (tensor.data_location() != onnx::TensorProto::EXTERNAL) {
    return true;
  }
  TensorSource source{context_.folder, where, &context_.kept.weight_files};
  std::optional<std::uint64_t> count = foreign_byte_count(tensor);
  if (auto dtype = dtype_of_onnx(tensor.data_type())) {
    auto elements = element_count(Extents(tensor.dims().begin(), tensor.dims().end()));
    count = elements ? std::optional(onnx_byte_count(*dtype, *elements)) : std::nullopt;
  }
  auto bytes = external_bytes(tensor, count, source, context_.diagnostics);
  if (!bytes) {
    return false;
  }
  tensor.set_raw_data(std::move(*bytes));
  tensor.clear_external_data();
  tensor.clear_data_location();
  return true;
}

// Recursion follows the nesting of subgraphs, which parsing has bounded.
bool OnnxScope::make_self_contained(Node& node, const std::string& where) {
  bool whole = true;
  for (auto& attribute : *node.mutable_attribute()) {
    if (attribute.has_t()) {
      whole &= make_self_contained(*attribute.mutable_t(), where);
    }
    if (attribute.has_g()) {
      for (auto& tensor : *attribute.mutable_g()->mutable_initializer()) {
        whole &= make_self_contained(tensor, where);
      }
      for (auto& inner : *attribute.mutable_g()->mutable_node()) {
        whole &= make_self_contained(inner, where);
      }
    }
  }
  return whole;
}

std::vector<Type> OnnxScope::declared_types(const Node& node) const {
  std::vector<Type> out;
  for (const std::string& output : node.output()) {
    auto declared = declared_.find(output);
    bool typed = !output.empty() && declared != declared_.end();
    out.push_back(declared_type(typed ? declared->second->type() : onnx::TypeProto(), size_place(output)));
  }
  return out;
}

void OnnxScope::add_foreign(const Node& node) {
  if (node.output_size() == 0) {
    return;  // what gives nothing is not needed
  }
  std::string where = place(onnx_node_text(node));
  Node kept = node;
  std::vector<NodeId> items;
  for (const std::string& name : names_of_operands(node)) {
    items.push_back(lookup(name));
    complete_ &= items.back() != kNoNode;
  }
  complete_ &= make_self_contained(kept, where);
  std::vector<NodeId> results(static_cast<std::size_t>(node.output_size()), kNoNode);
  if (complete_) {
    NodeId tuple = graph_.add_tuple(items);
    AttrDict attributes = foreign_attributes({node.domain(), node.op_type(), message_bytes(kept), false, declared_types(node)});
    NodeId call = graph_.add_call(foreign_op(), std::span(&tuple, 1), attributes, context_.diagnostics, where);
    for (int i = 0; i < node.output_size() && call != kNoNode; ++i) {
      if (!node.output(i).empty()) {
        results[static_cast<std::size_t>(i)] = graph_.add_projection(call, static_cast<std::uint32_t>(i));
      }
    }
  }
  for (int i = 0; i < node.output_size(); ++i) {
    if (!node.output(i).empty()) {
      define(node.output(i), results[static_cast<std::size_t>(i)], where);
    }
  }
  name_results(node, results);
}

// An initialiser whose elements have a type that is foreign: a call without operands that spells it.
void OnnxScope::add_foreign_value(const onnx::TensorProto& tensor, const std::string& name, const std::string& where) {
  onnx::TensorProto kept = tensor;
  complete_ &= make_self_contained(kept, where);
  onnx::TypeProto type;
  type.mutable_tensor_type()->set_elem_type(tensor.data_type());
  type.mutable_tensor_type()->mutable_shape();
  for (std::int64_t dim : tensor.dims()) {
    type.mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(dim);
  }
  NodeId none = graph_.add_tuple({});
  AttrDict attributes = foreign_attributes({"", "Constant", message_bytes(kept), true, {declared_type(type, size_place(name))}});
  NodeId call = graph_.add_call(foreign_op(), std::span(&none, 1), attributes, context_.diagnostics, where);
  NodeId value = call == kNoNode ? kNoNode : graph_.add_projection(call, 0);
  define(name, value, where);
  if (value != kNoNode) {
    onnx::NodeProto node;
    node.set_op_type("Constant");
    node.add_output(name);
    name_result(node, value, name, false);
  }
}

}  // namespace vouch
