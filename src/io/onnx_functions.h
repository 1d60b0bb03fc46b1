// Functions that a model brings along: each call becomes the function's nodes.
#pragma once

#include "io/onnx_proto.h"

namespace vouch {

// Expands calls, in nested graphs too, until none is left. Functions of ONNX's own domain, and those
// written for another opset than the model's, stay what they are. Reports functions that call themselves, that are called as an
// operator, and expansions beyond 10^6 nodes.
bool inline_functions(onnx::ModelProto& model, const std::string& place, Diagnostics& diagnostics);

}  // namespace vouch
