// What a graph that is being read has once, so that reading what was written makes nothing that would be merged: its small
// constants, by value (an adaptation that needs one takes what the model has), and its tuples, by items.
#pragma once

#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"

namespace vouch {

class OnnxShared {
 public:
  // What the graph has of this value so far, or a new constant.
  NodeId constant(Graph& graph, Tensor value);
  // Of a parameter or constant that the model has.
  void note(const Graph& graph, NodeId node);
  // Of a parameter that the graph has from now on: it takes the place of a constant of its value that was made before.
  void prefer(Graph& graph, NodeId parameter);
  NodeId tuple(Graph& graph, std::span<const NodeId> items);

 private:
  std::unordered_map<std::string, NodeId> by_value_;
  std::map<std::vector<NodeId>, NodeId> by_items_;
};

}  // namespace vouch
