// Activations that a fused operator of ONNX Runtime names by a text.
#pragma once

#include <span>
#include <string>

#include "graph/op_def.h"

namespace vouch {

// The activation of this name, with its parameters in the order of ONNX Runtime (alpha, beta; Clip: min, max); those that are
// left out have the activation's defaults. Fails the call for other names.
std::optional<Term> fused_activation(OpContext& c, const std::string& name, std::span<const Term> parameters, Term x);

}  // namespace vouch
