// Elements that are known before any input is.
#pragma once

#include <functional>
#include <optional>

#include "graph/eval.h"
#include "graph/graph.h"

namespace vouch {

// Of constants, of integers that shape arithmetic knows as numbers, and of what is computed from known elements alone: what the
// operators, as they are defined, make of these. `known`: of operands; null where they are not. Results that have many more
// elements than their operands are left alone.
std::optional<Tensor> known_value(const Graph& graph, NodeId node, const std::function<const Tensor*(NodeId)>& known,
                                  GraphEvaluator& evaluator);

}  // namespace vouch
