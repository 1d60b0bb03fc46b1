#include "io/onnx_whole.h"

#include <fmt/format.h>

#include <filesystem>

#include "io/onnx_tensor.h"

namespace vouch {
namespace {

class TakeIn {
 public:
  TakeIn(const std::string& path, Diagnostics& diagnostics)
      : path_(path), folder_(std::filesystem::absolute(path).parent_path().string()), diagnostics_(diagnostics) {}

  // Recursion follows the nesting of the message, which parsing bounds.
  void run(onnx::GraphProto& graph) {
    for (auto& tensor : *graph.mutable_initializer()) {
      run(tensor);
    }
    for (auto& tensor : *graph.mutable_sparse_initializer()) {
      run(tensor);
    }
    run(*graph.mutable_node());
  }

  void run(google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes) {
    for (auto& node : nodes) {
      for (auto& attribute : *node.mutable_attribute()) {
        run(attribute);
      }
    }
  }

  std::size_t taken() const { return taken_; }

 private:
  void run(onnx::AttributeProto& attribute) {
    if (attribute.has_t()) {
      run(*attribute.mutable_t());
    }
    if (attribute.has_sparse_tensor()) {
      run(*attribute.mutable_sparse_tensor());
    }
    if (attribute.has_g()) {
      run(*attribute.mutable_g());
    }
    for (auto& tensor : *attribute.mutable_tensors()) {
      run(tensor);
    }
    for (auto& graph : *attribute.mutable_graphs()) {
      run(graph);
    }
  }

  void run(onnx::SparseTensorProto& tensor) {
    run(*tensor.mutable_values());
    run(*tensor.mutable_indices());
  }

  void run(onnx::TensorProto& proto) {
    if (proto.data_location() != onnx::TensorProto::EXTERNAL) {
      return;
    }
    auto tensor = tensor_of_proto(proto, {folder_, fmt::format("{}: initializer '{}'", path_, proto.name())}, diagnostics_);
    if (!tensor) {
      return;
    }
    proto.clear_data_location();
    proto.clear_external_data();
    proto.clear_dims();
    fill_proto(*tensor, proto.name(), proto);
    ++taken_;
  }

  const std::string& path_;
  std::string folder_;
  Diagnostics& diagnostics_;
  std::size_t taken_ = 0;
};

}  // namespace

std::optional<std::string> whole_onnx(std::string bytes, const std::string& path, Diagnostics& diagnostics) {
  onnx::ModelProto model;
  if (path == "-") {
    return bytes;
  }
  if (!parse_message(bytes, model, path, diagnostics)) {
    return std::nullopt;
  }
  TakeIn take(path, diagnostics);
  take.run(*model.mutable_graph());
  for (auto& function : *model.mutable_functions()) {
    take.run(*function.mutable_node());
  }
  if (diagnostics.has_errors() || take.taken() == 0) {
    return diagnostics.has_errors() ? std::nullopt : std::optional(std::move(bytes));
  }
  if (model.ByteSizeLong() > INT32_MAX) {
    diagnostics.error_at(path, "with the weights that lie beside it the model has more than 2 GiB, which no library can have");
    return std::nullopt;
  }
  return message_bytes(model);
}

}  // namespace vouch
