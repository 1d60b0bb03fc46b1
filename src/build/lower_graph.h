// From a graph whose sizes are numbers to the calls of kernels that compute its outputs.
#pragma once

#include <optional>
#include <string>

#include "build/call_plan.h"
#include "build/kernels.h"
#include "graph/graph.h"
#include "support/diagnostic.h"

namespace vouch {

struct LoweringOptions {
  bool plain = false;    // kernels element by element, as the definitions have them
  bool fma = false;      // what a kernel adds as a product is not rounded first, wherever it has such sums
  bool reorder = false;  // sums that one accumulator would leave waiting have partial sums (certify/index_reorder.h)
  TileTarget target = kTileTargets[0];
};

// `name`, of the plan, is one in C; `pool` has the kernels of the library's other plans, too. Errors, all of them at once: inputs
// and outputs that are no float32, nodes that the outputs need and that certificates do not cover, each with its operator and the
// reason.
std::optional<CallPlan> lower_graph(const Graph& graph, const std::string& name, const LoweringOptions& options, KernelPool& pool,
                                    Diagnostics& diagnostics);

}  // namespace vouch
