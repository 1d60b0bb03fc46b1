// Calls of a library before kernels have names; and fewer of them: what only finishes the elements that the call before it left
// is done in that call's tiles (certify/index_finish.h).
#pragma once

#include <set>

#include "build/call_plan.h"

namespace vouch {

struct LoweredCall {
  IndexKernel kernel;
  std::optional<IndexTiling> tiling;  // without copies
  std::vector<ValueId> arguments;     // of each input
  ValueId result = 0;
  std::vector<PlanNode> nodes;
  std::string wish;  // what the kernel is called after
};

// The same values of all results that are read elsewhere, bit for bit. `kept`: results that have to be there.
void fuse(std::vector<LoweredCall>& calls, const std::set<ValueId>& kept);

}  // namespace vouch
