#include "io/onnx_adapt.h"

#include <cctype>
#include <unordered_map>
#include <unordered_set>

#include "io/onnx_domain.h"

namespace vouch {
namespace {

using Table = std::unordered_map<std::string_view, std::vector<Adaptation>>;

const Table& table() {
  static const auto* the_table = [] {
    auto* built = new Table();  // never freed: read until the process ends
    for (auto theme : {shape_adaptations, reduction_adaptations, elementwise_adaptations, network_adaptations}) {
      for (const Adaptation& row : theme()) {
        (*built)[row.op].push_back(row);
      }
    }
    return built;
  }();
  return *the_table;
}

}  // namespace

void adapt_node(OnnxDraft& draft) {
  constexpr std::int64_t kInPlaceHints = 6;  // consumed_inputs said which operands may be overwritten
  if (draft.opset() < kInPlaceHints) {
    draft.drop({"consumed_inputs"});
  }
  auto found = table().find(draft.node().op_type());
  if (found == table().end() || !is_standard_domain(draft.node().domain())) {
    return;
  }
  for (const Adaptation& row : found->second) {
    if (draft.opset() < row.before && !draft.failed() && draft.results.empty()) {
      row.adapt(draft);
    }
  }
}

static bool is_further_result(std::string_view op) {
  static const auto* names = [] {
    auto* built = new std::unordered_set<std::string_view>();
    for (std::size_t id = 0; id < op_count(); ++id) {
      const OpDef& def = op_def(static_cast<OpId>(id));
      built->insert(def.further.begin(), def.further.end());
    }
    return built;
  }();
  return names->count(op) != 0;
}

std::string_view successor(std::string_view op) { return op == "Upsample" ? "Resize" : op == "Scatter" ? "ScatterElements" : op; }

bool is_importable(std::string_view op) {
  bool of_onnx = !op.empty() && std::isupper(static_cast<unsigned char>(op[0])) && !is_further_result(op);
  return of_onnx && (op == "Constant" || find_op(successor(op)));
}

bool is_importable(const onnx::NodeProto& node) { return operator_of_onnx(node.domain(), node.op_type()).has_value(); }

bool reads_attribute_itself(const onnx::NodeProto& node, std::string_view attribute) {
  return (node.op_type() == "Clip" && (attribute == "min" || attribute == "max")) ||
         (node.op_type() == "Pad" && attribute == "value");
}

}  // namespace vouch
