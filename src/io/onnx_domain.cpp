#include "io/onnx_domain.h"

#include <algorithm>

#include "io/onnx_adapt.h"

namespace vouch {
namespace {

constexpr std::string_view kRuntime = "com.microsoft";

// Operators of ONNX Runtime's domain, and what the table calls them: its own (documented in onnxruntime's
// docs/ContribOperators.md), and those that ONNX has by now, with the same meaning.
constexpr struct {
  std::string_view op;
  std::string_view known_as;
  bool is_onnx;
} kRuntimeOperators[] = {
    {"BiasGelu", "BiasGelu", false},
    {"FastGelu", "FastGelu", false},
    {"QuickGelu", "QuickGelu", false},
    {"FusedConv", "FusedConv", false},
    {"FusedGemm", "FusedGemm", false},
    {"FusedMatMul", "FusedMatMul", false},
    {"TransposeMatMul", "FusedMatMul", false},
    {"SkipLayerNormalization", "SkipLayerNormalization", false},
    {"SkipSimplifiedLayerNormalization", "SkipSimplifiedLayerNormalization", false},
    {"SimplifiedLayerNormalization", "SimplifiedLayerNormalization", false},
    {"LayerNormalization", "LayerNormalization", true},
    {"Gelu", "Gelu", true},
    {"MatMulIntegerToFloat", "MatMulIntegerToFloat", false},
    {"QGemm", "QGemm", false},
    {"QLinearAdd", "QLinearAdd", false},
    {"QLinearMul", "QLinearMul", false},
    {"QLinearSigmoid", "QLinearSigmoid", false},
    {"QLinearLeakyRelu", "QLinearLeakyRelu", false},
    {"QLinearGlobalAveragePool", "QLinearGlobalAveragePool", false},
    {"QuantizeLinear", "QuantizeLinear", true},
    {"DequantizeLinear", "DequantizeLinear", true},
};

// Older versions of ONNX Runtime wrote these into ONNX's own domain.
constexpr std::string_view kInStandardDomain = "SimplifiedLayerNormalization";

}  // namespace

bool is_standard_domain(std::string_view domain) { return domain.empty() || domain == "ai.onnx"; }

bool is_same_domain(std::string_view a, std::string_view b) { return a == b || (is_standard_domain(a) && is_standard_domain(b)); }

bool uses_standard_domain(const onnx::GraphProto& graph) {
  return std::any_of(graph.node().begin(), graph.node().end(), [](const onnx::NodeProto& node) {
    return is_standard_domain(node.domain()) ||
           std::any_of(node.attribute().begin(), node.attribute().end(), [](const auto& attribute) {
             return (attribute.has_g() && uses_standard_domain(attribute.g())) ||
                    std::any_of(attribute.graphs().begin(), attribute.graphs().end(), uses_standard_domain);
           });
  });
}

std::optional<std::string_view> operator_of_onnx(std::string_view domain, std::string_view op) {
  if (is_standard_domain(domain)) {
    bool other = !onnx_domain(op).empty() && op != kInStandardDomain;
    return is_importable(op) && !other ? std::optional(op) : std::nullopt;
  }
  for (const auto& row : kRuntimeOperators) {
    if (domain == kRuntime && row.op == op && is_importable(row.known_as)) {
      return row.known_as;
    }
  }
  return std::nullopt;
}

std::string_view onnx_domain(std::string_view op) {
  for (const auto& row : kRuntimeOperators) {
    if (row.known_as == op && !row.is_onnx) {
      return op == kInStandardDomain ? std::string_view() : kRuntime;
    }
  }
  return {};
}

}  // namespace vouch
