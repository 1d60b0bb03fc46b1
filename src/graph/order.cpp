#include "graph/order.h"

namespace vouch {

std::vector<NodeId> reverse_post_order(const Graph& graph) {
  std::vector<NodeId> order;
  reverse_post_order(graph, order);
  return order;
}

void reverse_post_order(const Graph& graph, std::vector<NodeId>& order) {
  struct Frame {
    NodeId node;
    const NodeId* next;
    const NodeId* end;
  };
  order.clear();
  order.reserve(graph.live_count());
  std::vector<bool> seen(graph.id_limit());
  std::vector<Frame> stack;
  auto enter = [&](NodeId node) {
    if (node == kNoNode || seen[node]) {
      return;
    }
    seen[node] = true;
    std::span<const NodeId> operands = graph.operands(node);
    if (operands.empty()) {
      order.push_back(node);
    } else {
      stack.push_back({node, operands.data(), operands.data() + operands.size()});
    }
  };
  for (const GraphOutput& output : graph.outputs()) {
    enter(output.node);
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (top.next != top.end) {
        enter(*top.next++);
      } else {
        order.push_back(top.node);
        stack.pop_back();
      }
    }
  }
}

}  // namespace vouch
