#include "io/onnx_external.h"

#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "io/file.h"

namespace vouch {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLeastBytes = 1024;  // smaller tensors (shapes, axes) stay in the model
constexpr std::size_t kPage = 4096;

std::string real_path(const fs::path& path) {
  std::error_code failure;
  fs::path real = fs::weakly_canonical(path, failure);
  return failure ? path.string() : real.string();
}

bool is_same_file(const fs::path& path, const std::string& other) {
  std::error_code failure;
  return real_path(path) == other || fs::equivalent(path, other, failure);
}

// A file that no other model's weights lie in, as far as that is known.
fs::path free_file(const fs::path& model, const std::set<std::string>& others) {
  for (int k = 0;; ++k) {
    fs::path path = model.parent_path() /
                    (k == 0 ? model.filename().string() + ".data" : fmt::format("{}.{}.data", model.filename().string(), k));
    bool taken = std::any_of(others.begin(), others.end(), [&](const std::string& other) { return is_same_file(path, other); });
    if (!taken) {
      return path;
    }
  }
}

void add_entry(onnx::TensorProto& tensor, const char* key, const std::string& value) {
  auto* entry = tensor.add_external_data();
  entry->set_key(key);
  entry->set_value(value);
}

// Initialisers of the graph and of those within its nodes; recursion follows their nesting, which import bounds.
void collect(onnx::GraphProto& graph, std::vector<onnx::TensorProto*>& out) {
  for (auto& tensor : *graph.mutable_initializer()) {
    if (tensor.has_raw_data() && tensor.raw_data().size() >= kLeastBytes) {
      out.push_back(&tensor);
    }
  }
  for (auto& node : *graph.mutable_node()) {
    for (auto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) {
        collect(*attribute.mutable_g(), out);
      }
    }
  }
}

}  // namespace

bool move_weights(onnx::ModelProto& model, const std::string& path, const std::set<std::string>& others,
                  Diagnostics& diagnostics) {
  if (!is_plain_target(path)) {
    diagnostics.error_at(path, "weights cannot lie beside a model that is written into a device or pipe");
    return false;
  }
  std::vector<onnx::TensorProto*> tensors;
  collect(*model.mutable_graph(), tensors);
  if (tensors.empty()) {
    return true;
  }
  fs::path target = free_file(real_path(path), others);
  std::vector<std::string> pieces;
  std::uint64_t offset = 0;
  for (onnx::TensorProto* tensor : tensors) {
    std::uint64_t padding = (kPage - offset % kPage) % kPage;
    pieces.emplace_back(padding, '\0');
    offset += padding;
    pieces.push_back(std::move(*tensor->mutable_raw_data()));
    tensor->clear_raw_data();
    tensor->set_data_location(onnx::TensorProto::EXTERNAL);
    add_entry(*tensor, "location", target.filename().string());
    add_entry(*tensor, "offset", std::to_string(offset));
    add_entry(*tensor, "length", std::to_string(pieces.back().size()));
    offset += pieces.back().size();
  }
  return write_pieces(target.string(), std::vector<std::string_view>(pieces.begin(), pieces.end()), diagnostics);
}

}  // namespace vouch
