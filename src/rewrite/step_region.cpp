#include "rewrite/step_region.h"

#include <algorithm>
#include <set>

namespace vouch {

InsideRegion inside_of(const Graph& before, const RewriteStep& step) {
  std::set<NodeId> matched(step.match->inside.begin(), step.match->inside.end());
  matched.insert(step.match->outputs.begin(), step.match->outputs.end());
  return
      [matched = std::move(matched), limit = before.id_limit()](NodeId node) { return node >= limit || matched.contains(node); };
}

RegionSide region_side(const Graph& graph, const std::vector<NodeId>& roots, const InsideRegion& inside) {
  RegionSide out;
  std::set<NodeId> seen;
  std::vector<std::pair<NodeId, bool>> pending;  // and whether its operands were there
  std::for_each(roots.rbegin(), roots.rend(), [&](NodeId root) { pending.emplace_back(root, false); });
  while (!pending.empty()) {
    auto [node, left] = pending.back();
    pending.pop_back();
    if (left) {
      out.calls.push_back(node);
      continue;
    }
    if (node == kNoNode || !seen.insert(node).second) {
      continue;
    }
    if (graph.kind(node) == NodeKind::Input || graph.has_value(node) || !inside(node)) {
      out.reads.push_back(node);
      continue;
    }
    pending.emplace_back(node, true);
    auto operands = graph.operands(node);
    std::for_each(operands.rbegin(), operands.rend(), [&](NodeId operand) { pending.emplace_back(operand, false); });
  }
  return out;
}

}  // namespace vouch
