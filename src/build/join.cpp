#include "build/join.h"

#include <algorithm>

#include "build/movement.h"

namespace vouch {

void join(std::vector<LoweredCall>& calls, std::vector<PlanValue>& values, const std::set<ValueId>& kept) {
  std::set<ValueId> taken = kept;
  std::erase_if(calls, [&](const LoweredCall& call) {
    const std::vector<ValueId>& pieces = call.arguments;
    bool free = pieces.size() > 1 && !call.tiling && !kept.contains(call.result) &&
                std::set<ValueId>(pieces.begin(), pieces.end()).size() == pieces.size() &&
                std::all_of(pieces.begin(), pieces.end(),
                            [&](ValueId piece) { return values[piece].kind == ValueKind::Computed && !taken.contains(piece); });
    if (!free || !joins_inputs(call.kernel)) {
      return false;
    }
    taken.insert(pieces.begin(), pieces.end());
    values[call.result].pieces = pieces;
    return true;
  });
}

}  // namespace vouch
