#include "io/onnx_import.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "io/file.h"
#include "io/onnx_adapt.h"
#include "io/onnx_functions.h"
#include "io/onnx_order.h"
#include "io/onnx_scope.h"

namespace vouch {
namespace {

constexpr std::int64_t kNewestOpset = 20;

std::optional<std::int64_t> opset_of(const onnx::ModelProto& model, const std::string& name, Diagnostics& diagnostics) {
  std::optional<std::int64_t> version;
  for (const auto& import : model.opset_import()) {
    if (import.domain().empty() || import.domain() == "ai.onnx") {
      version = import.version();
    }
  }
  if (model.opset_import_size() == 0) {
    version = 1;  // files from before opsets
  }
  if (!version || *version < 1 || *version > kNewestOpset) {
    diagnostics.error_at(name, version ? fmt::format("expected opset 1 to {}, found {}", kNewestOpset, *version)
                                       : std::string("the model imports no opset of the domain ai.onnx"));
    return std::nullopt;
  }
  return version;
}

// Operators that neither the table nor an adaptation knows, each with the node that has it first.
struct Unknown {
  std::string first;
  std::size_t count = 0;
};

void find_unknown(const onnx::GraphProto& graph, std::map<std::string, Unknown>& unknown) {
  for (const auto& node : graph.node()) {
    bool standard = node.domain().empty() || node.domain() == "ai.onnx";
    if (!standard || !is_importable(node.op_type())) {
      Unknown& entry = unknown[standard ? node.op_type() : node.domain() + "." + node.op_type()];
      if (entry.count++ == 0) {
        entry.first = onnx_node_text(node);
      }
    }
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) {
        find_unknown(attribute.g(), unknown);
      }
    }
  }
}

bool operators_are_known(const onnx::ModelProto& model, const std::string& name, Diagnostics& diagnostics) {
  std::map<std::string, Unknown> unknown;
  find_unknown(model.graph(), unknown);
  for (const auto& [op, entry] : unknown) {
    std::string more = entry.count > 1 ? fmt::format(" (and {} more)", entry.count - 1) : std::string();
    auto near = suggest(op, op_names());
    diagnostics.error_at(fmt::format("{}: {}{}", name, entry.first, more), fmt::format("operator '{}' is not supported", op),
                         near ? fmt::format("did you mean '{}'?", *near) : std::string());
  }
  return unknown.empty();
}

}  // namespace

std::optional<OnnxModel> import_onnx_bytes(std::string_view bytes, const std::string& name, const std::string& folder,
                                           Diagnostics& diagnostics, const OnnxOptions& options) {
  onnx::ModelProto model;
  if (!parse_message(bytes, model, name, diagnostics)) {
    return std::nullopt;
  }
  if (!model.has_graph()) {
    diagnostics.error_at(name, "the model has no graph");
    return std::nullopt;
  }
  if (!inline_functions(model, name, diagnostics) || !operators_are_known(model, name, diagnostics)) {
    return std::nullopt;
  }
  auto opset = opset_of(model, name, diagnostics);
  if (!opset) {
    return std::nullopt;
  }
  OnnxImportContext context{name, folder, *opset, options, diagnostics};
  auto graph = OnnxScope(context, model.graph(), nullptr).read();
  if (!graph) {
    return std::nullopt;
  }
  return OnnxModel{std::move(*graph), model.graph().name(), *opset};
}

std::optional<OnnxModel> import_onnx(const std::string& path, Diagnostics& diagnostics, const OnnxOptions& options) {
  auto bytes = read_file(path, diagnostics);
  if (!bytes) {
    return std::nullopt;
  }
  std::string folder = std::filesystem::absolute(path).parent_path().string();
  return import_onnx_bytes(*bytes, path, folder, diagnostics, options);
}

}  // namespace vouch
