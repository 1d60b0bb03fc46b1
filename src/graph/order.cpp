#include "graph/order.h"

#include <unordered_set>
#include <utility>

namespace vouch {

std::vector<NodeId> reverse_post_order(const Graph& graph) {
  std::vector<NodeId> order;
  reverse_post_order(graph, order);
  return order;
}

void reverse_post_order(const Graph& graph, std::vector<NodeId>& order) {
  struct Frame {
    const NodeId* next;  // the operands still to be entered
    std::uint32_t left;
    NodeId node;
  };
  order.clear();
  order.reserve(graph.live_count());
  std::vector<std::uint64_t> seen(graph.id_limit() / 64 + 1);
  std::vector<Frame> stack;
  for (const GraphOutput& output : graph.outputs()) {
    // A stage of its own with the output as its one operand.
    Frame top{&output.node, 1, kNoNode};
    while (true) {
      if (top.left == 0) {
        if (top.node == kNoNode) {
          break;
        }
        order.push_back(top.node);
        top = stack.back();
        stack.pop_back();
        continue;
      }
      --top.left;
      NodeId node = *top.next++;
      if (node == kNoNode || ((seen[node / 64] >> (node % 64)) & 1) != 0) {
        continue;
      }
      seen[node / 64] |= std::uint64_t{1} << (node % 64);
      std::span<const NodeId> operands = graph.operands(node);
      if (operands.empty()) {
        order.push_back(node);
        continue;
      }
      stack.push_back(top);
      top = {operands.data(), static_cast<std::uint32_t>(operands.size()), node};
    }
  }
}

std::vector<NodeId> post_order_within(const Graph& graph, std::span<const NodeId> roots,
                                      const std::function<bool(NodeId)>& enters) {
  std::vector<NodeId> order;
  std::unordered_set<NodeId> met;
  std::vector<std::pair<NodeId, std::size_t>> path;  // each with the operand that is next
  auto meet = [&](NodeId node) {
    if (node != kNoNode && met.insert(node).second && enters(node)) {
      path.emplace_back(node, 0);
    }
  };
  for (NodeId root : roots) {
    meet(root);
    while (!path.empty()) {
      auto& [node, next] = path.back();
      if (next == graph.operands(node).size()) {
        order.push_back(node);
        path.pop_back();
      } else {
        meet(graph.operands(node)[next++]);
      }
    }
  }
  return order;
}

}  // namespace vouch
