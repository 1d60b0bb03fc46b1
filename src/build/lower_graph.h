// From a graph whose sizes are numbers to the calls of kernels that compute its outputs.
#pragma once

#include <optional>
#include <string>

#include "build/call_plan.h"
#include "graph/graph.h"
#include "support/diagnostic.h"

namespace vouch {

// `name` is one in C. Errors, all of them at once: inputs and outputs that are no float32, nodes that the outputs need and that
// certificates do not cover, each with its operator and the reason.
std::optional<CallPlan> lower_graph(const Graph& graph, const std::string& name, bool plain, Diagnostics& diagnostics);

}  // namespace vouch
