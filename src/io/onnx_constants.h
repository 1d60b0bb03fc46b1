// The small constants of one graph that is being read, by value: an adaptation that needs one takes what the model has, so that
// reading what was written makes nothing new.
#pragma once

#include <string>
#include <unordered_map>

#include "graph/graph.h"

namespace vouch {

class OnnxConstants {
 public:
  // What the graph has of this value so far, or a new constant.
  NodeId find_or_add(Graph& graph, Tensor value);
  // Of a parameter or constant that the model has.
  void note(const Graph& graph, NodeId node);

 private:
  std::unordered_map<std::string, NodeId> by_value_;
};

}  // namespace vouch
