#include "driver/page_layout.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "graph/order.h"

namespace vouch {
namespace {

bool is_drawn(const Graph& graph, NodeId node) {
  return graph.kind(node) == NodeKind::Call || graph.kind(node) == NodeKind::Input;
}

void add_sources(const Graph& graph, NodeId operand, std::vector<NodeId>& out) {
  if (operand == kNoNode) {
    return;
  }
  if (is_drawn(graph, operand)) {
    out.push_back(operand);
  } else if (!graph.has_value(operand)) {
    for (NodeId part : graph.operands(operand)) {
      add_sources(graph, part, out);
    }
  }
}

}  // namespace

std::vector<NodeId> drawn_sources(const Graph& graph, NodeId operand) {
  std::vector<NodeId> out;
  add_sources(graph, operand, out);
  return out;
}

std::vector<DrawnNode> layered(const Graph& graph) {
  std::vector<DrawnNode> nodes;
  std::unordered_map<NodeId, std::size_t> place;
  std::map<int, std::vector<std::size_t>> layers;
  std::vector<long> wish;  // a thousand times the mean column of what it reads
  for (NodeId node : reverse_post_order(graph)) {
    if (!is_drawn(graph, node)) {
      continue;
    }
    DrawnNode drawn{node, 0, 0};
    for (NodeId operand : graph.kind(node) == NodeKind::Call ? graph.operands(node) : std::span<const NodeId>()) {
      for (NodeId source : drawn_sources(graph, operand)) {
        drawn.layer = std::max(drawn.layer, nodes[place.at(source)].layer + 1);
      }
    }
    place[node] = nodes.size();
    layers[drawn.layer].push_back(nodes.size());
    nodes.push_back(drawn);
  }
  wish.resize(nodes.size());
  for (auto& [layer, members] : layers) {
    for (std::size_t member : members) {
      long sum = 0;
      long count = 0;
      for (NodeId operand : layer == 0 ? std::span<const NodeId>() : graph.operands(nodes[member].id)) {
        for (NodeId source : drawn_sources(graph, operand)) {
          sum += nodes[place.at(source)].column;
          ++count;
        }
      }
      wish[member] = count == 0 ? 0 : sum * 1000 / count;
    }
    std::stable_sort(members.begin(), members.end(), [&](std::size_t a, std::size_t b) { return wish[a] < wish[b]; });
    for (std::size_t k = 0; k < members.size(); ++k) {
      nodes[members[k]].column = 2 * static_cast<int>(k) - static_cast<int>(members.size()) + 1;
    }
  }
  return nodes;
}

}  // namespace vouch
