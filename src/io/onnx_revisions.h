// Which versions of ONNX wrote an operator's definition anew: between two of them a node means the same.
#pragma once

#include <cstdint>
#include <string_view>

namespace vouch {

// The version that defines the operator in models of this opset; the opset itself where that is not known.
std::int64_t revision_of(std::string_view op, std::int64_t opset);
// Is it one of ONNX's own operators whose results follow from operands and attributes? Not what draws random numbers.
bool is_onnx_function(std::string_view op);

// Does a node of ONNX's own domain, as it is spelt, mean the same in models of both opsets? False where it is not known: of
// operators that ONNX does not have, and across what came after opset 20.
bool is_same_revision(std::string_view op, std::int64_t opset, std::int64_t other);

}  // namespace vouch
