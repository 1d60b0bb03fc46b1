#include "io/onnx_export.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/order.h"
#include "io/file.h"
#include "io/onnx_write.h"

namespace vouch {
namespace {

// In nested graphs too; recursion follows their nesting, which import bounds.
bool needs_opset_20(const Graph& graph) {
  std::vector<NodeId> order = reverse_post_order(graph);
  return std::any_of(order.begin(), order.end(), [&](NodeId node) {
    if (graph.kind(node) != NodeKind::Call) {
      return false;
    }
    auto attributes = graph.attributes(node).entries();
    return needs_opset_20(graph, node) || std::any_of(attributes.begin(), attributes.end(), [](const auto& entry) {
             return entry.second.graph() && needs_opset_20(*entry.second.graph());
           });
  });
}

}  // namespace

std::optional<std::string> export_onnx(const Graph& graph, const std::string& name, Diagnostics& diagnostics) {
  constexpr std::int64_t kUsualOpset = 17;
  constexpr std::int64_t kUsualIr = 8;
  constexpr std::int64_t kNewOpset = 20;
  constexpr std::int64_t kNewIr = 9;
  bool is_new = needs_opset_20(graph);
  onnx::ModelProto model;
  model.set_ir_version(is_new ? kNewIr : kUsualIr);
  model.set_producer_name("vouch");
  auto* import = model.add_opset_import();
  import->set_domain("");
  import->set_version(is_new ? kNewOpset : kUsualOpset);
  model.mutable_graph()->set_name(name.empty() ? "graph" : name);
  OnnxNamePool pool;
  OnnxExportContext context{is_new ? kNewOpset : kUsualOpset, pool, diagnostics};
  if (!OnnxWriter(context, graph, *model.mutable_graph()).write()) {
    return std::nullopt;
  }
  if (model.ByteSizeLong() > INT32_MAX) {
    diagnostics.error_at(name, "the model is larger than the 2 GiB that one ONNX file may hold");
    return std::nullopt;
  }
  return message_bytes(model);
}

bool write_onnx(const Graph& graph, const std::string& name, const std::string& path, Diagnostics& diagnostics) {
  auto bytes = export_onnx(graph, name, diagnostics);
  return bytes && write_file(path, *bytes, diagnostics);
}

}  // namespace vouch
