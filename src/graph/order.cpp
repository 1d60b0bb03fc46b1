#include "graph/order.h"

namespace vouch {

std::vector<NodeId> reverse_post_order(const Graph& graph) {
  struct Frame {
    NodeId node;
    std::uint32_t next;
  };
  std::vector<NodeId> order;
  std::vector<bool> seen(graph.id_limit());
  std::vector<Frame> stack;
  auto enter = [&](NodeId node) {
    if (node != kNoNode && !seen[node]) {
      seen[node] = true;
      stack.push_back({node, 0});
    }
  };
  for (const GraphOutput& output : graph.outputs()) {
    enter(output.node);
    while (!stack.empty()) {
      Frame& top = stack.back();
      std::span<const NodeId> operands = graph.operands(top.node);
      if (top.next < operands.size()) {
        enter(operands[top.next++]);
      } else {
        order.push_back(top.node);
        stack.pop_back();
      }
    }
  }
  return order;
}

}  // namespace vouch
