// Which nodes a step is about: as numbers in the chain of all steps (rewrite/chain.h), and as calls in the step's theorem
// (driver/step_theorems.h). One walk says it for both.
#pragma once

#include <functional>
#include <vector>

#include "rewrite/trace.h"

namespace vouch {

using InsideRegion = std::function<bool(NodeId)>;

// What the rewrite matched, and what it made.
InsideRegion inside_of(const Graph& before, const RewriteStep& step);

// A graph's part of a region.
struct RegionSide {
  std::vector<NodeId> calls;  // inside, operands first: calls, tuples and items of them
  std::vector<NodeId> reads;  // what these read beyond: inputs, constants wherever they are, and all that is outside
};

// What leads to `roots`, from left to right.
RegionSide region_side(const Graph& graph, const std::vector<NodeId>& roots, const InsideRegion& inside);

}  // namespace vouch
