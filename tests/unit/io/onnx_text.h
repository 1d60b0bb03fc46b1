// Small ONNX models for tests, built in place.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "io/onnx_import.h"
#include "io/onnx_proto.h"
#include "io/onnx_tensor.h"

namespace vouch {

inline Tensor floats(Extents extents, std::vector<double> values) {
  return Tensor::of_doubles(DType::Float32, std::move(extents), values);
}

class OnnxText {
 public:
  explicit OnnxText(std::int64_t opset = 13) {
    model_.set_ir_version(7);
    model_.add_opset_import()->set_version(opset);
    model_.mutable_graph()->set_name("test");
  }

  onnx::ModelProto& model() { return model_; }
  onnx::GraphProto& graph() { return *model_.mutable_graph(); }

  static void shape(onnx::ValueInfoProto& value, const std::string& name, std::initializer_list<std::int64_t> dims,
                    int type = onnx::TensorProto::FLOAT) {
    value.set_name(name);
    auto* tensor = value.mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(type);
    tensor->mutable_shape();
    for (std::int64_t dim : dims) {
      tensor->mutable_shape()->add_dim()->set_dim_value(dim);
    }
  }
  OnnxText& input(const std::string& name, std::initializer_list<std::int64_t> dims, int type = onnx::TensorProto::FLOAT) {
    shape(*graph().add_input(), name, dims, type);
    return *this;
  }
  OnnxText& output(const std::string& name) {
    graph().add_output()->set_name(name);
    return *this;
  }
  onnx::NodeProto& node(const std::string& op, std::initializer_list<std::string> inputs,
                        std::initializer_list<std::string> outputs, const std::string& name = {}) {
    onnx::NodeProto& node = *graph().add_node();
    node.set_op_type(op);
    node.set_name(name);
    for (const std::string& item : inputs) {
      node.add_input(item);
    }
    for (const std::string& item : outputs) {
      node.add_output(item);
    }
    return node;
  }
  OnnxText& initializer(const std::string& name, const Tensor& value) {
    fill_proto(value, name, *graph().add_initializer());
    return *this;
  }

  std::string bytes() const { return message_bytes(model_); }
  std::optional<OnnxModel> import(Diagnostics& diagnostics) const {
    return import_onnx_bytes(bytes(), "test.onnx", {}, diagnostics);
  }
  // The messages of an import that must fail; empty if it did not.
  std::string errors() const {
    Diagnostics diagnostics;
    return import(diagnostics) ? std::string() : diagnostics.text();
  }

 private:
  onnx::ModelProto model_;
};

inline void add_ints(onnx::NodeProto& node, const std::string& name, std::initializer_list<std::int64_t> values) {
  auto* attribute = node.add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::INTS);
  for (std::int64_t value : values) {
    attribute->add_ints(value);
  }
}

inline void add_int(onnx::NodeProto& node, const std::string& name, std::int64_t value) {
  auto* attribute = node.add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::INT);
  attribute->set_i(value);
}

inline void add_float(onnx::NodeProto& node, const std::string& name, float value) {
  auto* attribute = node.add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::FLOAT);
  attribute->set_f(value);
}

}  // namespace vouch
