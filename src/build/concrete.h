// A graph at given sizes: what its sizes' names stood for are numbers, so shape arithmetic becomes constants.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "graph/graph.h"
#include "support/diagnostic.h"

namespace vouch {

using GraphSizes = std::map<std::string, std::int64_t>;

// The same nodes, typed anew, in the order of `reverse_post_order` after all inputs; recurrences unrolled (graph/recurrent.h),
// conditionals and loops without nested graphs (graph/control_flow.h), what is scattered to constant positions put together of
// parts (graph/scatter.h). Errors, all of them at once: a size of an input without value or below 1, a value for a size that no
// input has, calls that are ill-typed at these sizes.
std::optional<Graph> at_sizes(const Graph& graph, const GraphSizes& sizes, Diagnostics& diagnostics);

}  // namespace vouch
