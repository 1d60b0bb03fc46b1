// ONNX models: whatever is accepted is evaluated on small inputs and exported; neither may crash.
#include <cstdint>

#include "graph/eval.h"
#include "io/onnx_export.h"
#include "io/onnx_import.h"
#include "support/fault.h"

namespace vouch {
namespace {

constexpr std::int64_t kMostElements = 1 << 12;

// Zeros of each input's type, where that is small; unknown sizes are 2.
std::optional<std::vector<Tensor>> small_inputs(const Graph& graph) {
  std::vector<Tensor> out;
  for (NodeId input : graph.inputs()) {
    Extents extents;
    for (Term extent : graph.type(input).extents()) {
      extents.push_back(const_int(extent).value_or(2));
    }
    auto count = element_count(extents);
    if (!count || *count > kMostElements) {
      return std::nullopt;
    }
    out.emplace_back(graph.type(input).dtype(), extents);
  }
  return out;
}

}  // namespace
}  // namespace vouch

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vouch;
  Diagnostics diagnostics;
  auto model = import_onnx_bytes({reinterpret_cast<const char*>(data), size}, "fuzz.onnx", {}, diagnostics);
  ensure(model.has_value() || diagnostics.has_errors(), "a refusal has a reason");
  (void)diagnostics.text();
  if (model) {
    Diagnostics later;
    (void)export_onnx(model->graph, model->name, later);
    if (auto inputs = small_inputs(model->graph)) {
      RunOptions options;
      options.most_elements = kMostElements;
      (void)eval_graph(model->graph, std::move(*inputs), later, options);
    }
  }
  return 0;
}
