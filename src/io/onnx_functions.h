// Functions that a model brings along: each call becomes the function's nodes.
#pragma once

#include "io/onnx_proto.h"

namespace vouch {

// Expands calls, in nested graphs too, until none is left. Reports functions that call themselves, expansions beyond
// 10^6 nodes, and functions written for another opset than the model's.
bool inline_functions(onnx::ModelProto& model, const std::string& place, Diagnostics& diagnostics);

}  // namespace vouch
