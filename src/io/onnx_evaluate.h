// What ONNX says of some operators that the table leaves alone, on numbers: so that models with them can be run. Rules, checker,
// `equiv` and `build` know nothing of it. Source: ONNX's Operators.md, the newest version of each, which their older ones agree
// with where a node has their form.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/foreign.h"
#include "tensor/memory_budget.h"
#include "tensor/tensor.h"

namespace vouch {

// Names of operators of ONNX, and of its training domain, that `evaluate_onnx` computes; of BatchNormalization the steps of
// training.
std::vector<std::string_view> evaluated_onnx_operators();

// The results of a call on its operands; nothing if it has none, with the reason in `why`, which stays empty where nothing is
// known of the operator. What it makes has to have its place in `memory`.
std::optional<std::vector<Tensor>> evaluate_onnx(const ForeignCall& call, const std::vector<Tensor>& operands,
                                                 const MemoryBudget& memory, std::string& why);

}  // namespace vouch
