// Names of values in an ONNX graph: every tensor that a node gives has one, and no two are equal.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "graph/graph.h"

namespace vouch {

// Names in use, shared by nested graphs, which see those around them.
class OnnxNamePool {
 public:
  // `wish`, or with a number appended if it is taken.
  std::string claim(const std::string& wish);

 private:
  std::set<std::string> taken_;
  std::map<std::string, int> next_;  // number to try for a wish
};

class OnnxValueNames {
 public:
  // Claims inputs first, then outputs, parameters and the rest, so that the first keep their names.
  OnnxValueNames(const Graph& graph, const std::vector<NodeId>& order, OnnxNamePool& pool);

  // The tensor of a node, or one item of a tuple.
  const std::string& of(NodeId node, std::uint32_t item = 0) const { return names_.at({node, item}); }
  void set(NodeId node, std::string name) { names_[{node, 0}] = std::move(name); }
  // What the graph's outputs are called; one differs from its value's name if that has another already.
  const std::vector<std::string>& outputs() const { return outputs_; }
  OnnxNamePool& pool() { return pool_; }

 private:
  using Key = std::pair<NodeId, std::uint32_t>;

  void claim_outputs();
  void claim_rest(NodeId node);
  // The call's item that a projection selects; a projection of a tuple construction selects another node.
  Key source_of(NodeId node) const;

  const Graph& graph_;
  OnnxNamePool& pool_;
  std::map<Key, std::string> names_;
  std::vector<std::string> outputs_;
};

}  // namespace vouch
