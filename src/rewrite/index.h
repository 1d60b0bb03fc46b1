// Which rules may match at a node, found by a discrimination net over the operators of the node, its operands and their
// operands: built once for a rule set, walked once for a node, whatever the number of rules.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/graph.h"
#include "rule/ast.h"

namespace vouch {

class RuleIndex {
 public:
  explicit RuleIndex(const std::vector<Rule>& rules);

  // May any rule's first output be here? One look at the node.
  bool may_match(const Graph& graph, NodeId node) const {
    return !states_[0].rules.empty() || states_[0].positions > 1 || roots_[kind_of(graph, node)] != kNone;
  }
  // The rules whose first output may be this node, in order. Every rule that matches is among them.
  struct Scratch {
    std::vector<std::uint32_t> pending;
  };
  void find(const Graph& graph, NodeId node, std::vector<std::uint32_t>& rules, Scratch& scratch) const;

 private:
  // What stands at a position: the operator of a call, else the kind of node; 0 for nothing.
  using Kind = std::uint32_t;
  // Positions: the node; 1..4 its operands; 5 + 4i + j operand j of operand i. Only the first four operands count.
  static constexpr std::uint32_t kWidth = 4;
  static constexpr std::uint32_t kPositions = 1 + kWidth + kWidth * kWidth;
  static constexpr Kind kValue = 1;  // a constant or parameter
  static constexpr Kind kFirstOperator = 16;
  struct Demand {
    std::uint32_t position;
    Kind kind;
  };
  using Demands = std::vector<Demand>;  // by position
  struct State {
    std::uint32_t positions = 0;  // bit set: the positions that are looked at from here
    std::vector<std::uint32_t> rules;
  };

  static Kind kind_of(const Graph& graph, NodeId node) {
    if (node == kNoNode) {
      return 0;
    }
    if (graph.kind(node) == NodeKind::Call) {
      return kFirstOperator + graph.op(node);
    }
    return graph.has_value(node) ? kValue : 1 + static_cast<Kind>(graph.kind(node));
  }
  // `position` is not 0; the operands are those of the node at 0.
  static Kind kind_at(const Graph& graph, std::span<const NodeId> operands, std::uint32_t position);
  static Kind kind_wanted(const Pattern& pattern);
  static std::vector<Demands> demands_of(const Rule& rule, PatternId root);
  static std::vector<Demands> demands_below(const Rule& rule, const Pattern& root);
  static void add_operands(const Rule& rule, const Pattern& p, std::uint32_t first_position, Demands& demands, bool swapped);
  void add(const Demands& demands, std::uint32_t rule);
  std::uint32_t next_state(std::uint32_t state, const Demand& demand);
  static std::uint64_t edge(std::uint32_t state, std::uint32_t position, Kind kind) {
    return (static_cast<std::uint64_t>(state) * kPositions + position) << 24 | kind;
  }

  // The state behind a position and a kind, by open addressing; the size is a power of two.
  struct Edge {
    std::uint64_t key = kNoEdge;
    std::uint32_t state = 0;
  };
  static constexpr std::uint64_t kNoEdge = ~std::uint64_t{0};
  std::uint32_t follow(std::uint64_t key) const {
    for (std::size_t at = slot_of(key);; at = (at + 1) & (edges_.size() - 1)) {
      if (edges_[at].key == key) {
        return edges_[at].state;
      }
      if (edges_[at].key == kNoEdge) {
        return kNone;
      }
    }
  }
  std::size_t slot_of(std::uint64_t key) const { return (key * 0x9e3779b97f4a7c15ULL >> 32) & (edges_.size() - 1); }
  void insert(Edge edge);

  std::vector<State> states_;
  std::vector<Edge> edges_;
  std::size_t edge_count_ = 0;
  std::vector<std::uint32_t> roots_;  // by kind: the state behind position 0
};

}  // namespace vouch
