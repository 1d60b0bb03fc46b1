// One table of what changed between versions of ONNX's operators: each row turns nodes of models older than a version
// into the operator table's form, which is that of opset 20.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/onnx_draft.h"

namespace vouch {

struct Adaptation {
  std::string_view op;
  std::int64_t before;  // for models whose opset is below
  void (*adapt)(OnnxDraft&);
};

inline constexpr std::int64_t kAnyOpset = 1000;

// By theme; rows of one operator are in the order in which they apply.
std::vector<Adaptation> shape_adaptations();
std::vector<Adaptation> reduction_adaptations();
std::vector<Adaptation> elementwise_adaptations();
std::vector<Adaptation> network_adaptations();

// Applies the rows that concern the node. Failures are reported by the draft.
void adapt_node(OnnxDraft& draft);

// The operator table's version of ONNX's operators; forms that came later are left alone.
inline constexpr std::int64_t kTableOpset = 20;

// Whether the node means an operator of the table (io/onnx_domain.h).
bool is_importable(const onnx::NodeProto& node);

// Whether a model may use this operator: it is ONNX's or ONNX Runtime's (rules have operators of their own, in lower case;
// further results of ONNX operators are operators here), and the table has it or a row turns it into one that the table has.
bool is_importable(std::string_view op);

// The operator of the table that a row turns this one into: Resize of Upsample, ScatterElements of Scatter; itself otherwise.
std::string_view successor(std::string_view op);

// Attributes that a row reads from the node itself, since their values may have no form as AttrValue.
bool reads_attribute_itself(const onnx::NodeProto& node, std::string_view attribute);

}  // namespace vouch
