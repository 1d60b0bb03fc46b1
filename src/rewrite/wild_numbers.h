// Numbers that ruin floats: so large that they absorb numbers about 1, or so small that products with them underflow. Without
// one, a rewrite that is equal over the reals is taken to be harmless to floats (float_loss.h looks closer where there is one).
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"
#include "rewrite/match.h"

namespace vouch {

bool has_wild_element(const Tensor& tensor);

class WildNumbers {
 public:
  explicit WildNumbers(const Graph& graph) : graph_(graph) {}

  // Might an element of a constant, or an attribute, of the matched nodes, of the new ones (numbered from `first_new` on) or of
  // what either takes be wild? Asked of each rewrite, so nothing is allocated, and what is known of old constants is remembered.
  bool may_be_near(const Match& match, const std::vector<NodeId>& results, NodeId first_new);
  // Of a node that has a value.
  bool is_wild(NodeId constant, NodeId first_new);
  static bool has_wild(AttrDict attributes);

 private:
  enum class Known : std::uint8_t { Nothing, Tame, Wild };
  bool may_be_at(NodeId node, NodeId first_new);

  const Graph& graph_;
  std::vector<Known> known_;  // by node; new ones may yet be taken back, and others get their numbers
};

}  // namespace vouch
