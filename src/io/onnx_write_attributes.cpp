// Attributes of nodes: values, tensors, graphs within.
#include <fmt/format.h>

#include "io/onnx_attribute.h"
#include "io/onnx_tensor.h"
#include "io/onnx_write.h"

namespace vouch {

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

onnx::AttributeProto onnx_tensor(const Tensor& value) {
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

}  // namespace vouch
