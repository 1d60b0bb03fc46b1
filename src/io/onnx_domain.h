// Which operator of the table a node of an ONNX model means: a name says so within its domain only.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "io/onnx_proto.h"

namespace vouch {

// The operators of ONNX itself.
bool is_standard_domain(std::string_view domain);
// It has two spellings.
bool is_same_domain(std::string_view a, std::string_view b);
// Whether a node of the graph, or of one in it, is of that domain. Recursion follows the nesting, which parsing bounds.
bool uses_standard_domain(const onnx::GraphProto& graph);

// The name in the operator table, or in the table of adaptations, of what `domain`.`op` is; nothing for domains and operators
// that are not known.
std::optional<std::string_view> operator_of_onnx(std::string_view domain, std::string_view op);

// Where an operator of the table that is ONNX's or ONNX Runtime's is written: empty for ONNX itself.
std::string_view onnx_domain(std::string_view op);

}  // namespace vouch
