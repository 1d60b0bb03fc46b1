// What one look at a node tells, for whoever matches by steps or by goals.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "graph/graph.h"
#include "rewrite/plan.h"

namespace vouch {

// So many operands of a call, and behind them none that is there.
inline bool has_operands(std::span<const NodeId> operands, std::size_t wanted) {
  return operands.size() >= wanted && std::all_of(operands.begin() + static_cast<std::ptrdiff_t>(wanted), operands.end(),
                                                  [](NodeId operand) { return operand == kNoNode; });
}

// An early look at condition 4: an inner vertex has no more users than the pattern gives it.
inline bool is_private_enough(const Graph& graph, NodeId node, std::uint32_t most_uses) {
  return most_uses == RulePlan::kAnyUses || (graph.uses(node).size() <= most_uses && graph.output_count(node) == 0);
}

}  // namespace vouch
