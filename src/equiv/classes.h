// Which nodes of a graph are equal: hash-consing and union-find, closed under congruence.
//
// Two nodes are merged only because they are one value (constants, or integers that shape arithmetic knows as one term), because
// they apply one operator with the same attributes to equal operands, or because somebody who proved it says so. Calls that may
// draw random numbers or keep a state are never merged with another.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"

namespace vouch {

using ClassId = std::uint32_t;

enum class Ground : std::uint8_t {
  Value,       // the same elements
  Contents,    // integers that are the same terms over sizes
  Congruence,  // the same operator on equal operands
  Proof,       // said by `merge`
};

struct Merge {
  NodeId node;   // became equal
  NodeId other;  // to this
  Ground ground = Ground::Congruence;
};

class Classes {
 public:
  explicit Classes(const Graph& graph);

  // Nodes are added operands first.
  void add(NodeId node);
  bool has(NodeId node) const { return node < class_of_.size() && class_of_[node] != kNone; }
  ClassId find(NodeId node) const { return root(class_of_[node]); }
  bool equal(NodeId a, NodeId b) const { return find(a) == find(b); }
  // The caller has a proof.
  void merge(NodeId a, NodeId b);
  // Elements that are known, of constants and of what is computed from constants alone; null where they are not.
  void set_value(NodeId node, Tensor value);
  const Tensor* value(ClassId id) const;
  const std::vector<NodeId>& members(ClassId id) const { return members_[root(id)]; }
  // Every merge, in order; each follows from those before it.
  const std::vector<Merge>& merges() const { return merges_; }

 private:
  static constexpr ClassId kNone = 0xffffffffU;
  using Key = std::vector<std::uint64_t>;
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };

  ClassId root(ClassId id) const;
  std::optional<Key> key_of(NodeId node);
  std::optional<Key> contents_key(NodeId node) const;
  void insert(NodeId node);
  void join(NodeId a, NodeId b, Ground ground);
  void close();

  const Graph& graph_;
  std::vector<ClassId> class_of_;                    // by node
  mutable std::vector<ClassId> parent_;              // union-find
  std::vector<std::vector<NodeId>> members_;         // by root
  std::vector<std::vector<NodeId>> users_;           // by root: nodes whose key mentions it
  std::unordered_map<Key, NodeId, KeyHash> known_;   // by what they apply
  std::unordered_map<Key, NodeId, KeyHash> listed_;  // by contents
  std::unordered_map<std::size_t, std::vector<NodeId>> by_value_;
  std::unordered_map<NodeId, Tensor> values_;
  std::vector<std::pair<NodeId, NodeId>> pending_;  // equal by congruence
  std::vector<Merge> merges_;
};

// Attributes with every default that the operator table knows spelt out; of a foreign call what says which function it is.
AttrDict canonical_attributes(const OpDef& def, AttrDict attributes);
// Do equal operands make equal results? Not of random numbers, of what keeps a state, and of what holds such a call.
bool is_function(const Graph& graph, NodeId call);
bool is_function(const Graph& graph);

}  // namespace vouch
