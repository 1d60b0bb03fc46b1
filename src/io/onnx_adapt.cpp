#include "io/onnx_adapt.h"

#include <unordered_map>

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
  if (found == table().end()) {
    return;
  }
  for (const Adaptation& row : found->second) {
    if (draft.opset() < row.before && !draft.failed() && draft.results.empty()) {
      row.adapt(draft);
    }
  }
}

bool is_adapted_away(std::string_view op) { return table().count(op) != 0 && !find_op(op); }

bool reads_attribute_itself(const onnx::NodeProto& node, std::string_view attribute) {
  return (node.op_type() == "Clip" && (attribute == "min" || attribute == "max")) ||
         (node.op_type() == "Pad" && attribute == "value");
}

}  // namespace vouch
