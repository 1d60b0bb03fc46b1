// What a model's calls are estimated to cost at run time: how many there are, the elements that they read and write, and the
// products (or comparisons) of their sums. A size that is not known counts as `kUnknownSize`.
//
// What depends on parameters alone is worked out when a model is loaded and costs nothing. What only joins or cuts (the operator
// table says which) costs a call and moves nothing: its parts can be made, or read, where the whole lies.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "rewrite/match.h"

namespace vouch {

struct Cost {
  double calls = 0;
  double elements = 0;
  double products = 0;

  // In elements moved: a call counts as much as `kCall` of them, and eight products as one.
  double total() const;
  Cost& operator+=(const Cost& other);
  Cost& operator-=(const Cost& other);
  std::string text() const;
};

class CostModel {
 public:
  static constexpr std::int64_t kUnknownSize = 32;
  static constexpr double kCall = 1 << 16;

  Cost of_node(const Graph& graph, NodeId node);
  // Of all that the outputs need.
  Cost of_graph(const Graph& graph);
  // By how much the cost changes if the results take the places of the match's outputs, before that is done: the nodes from
  // `first_new` on come, what nothing needs then goes.
  Cost change(const Graph& graph, const Match& match, const std::vector<NodeId>& results, NodeId first_new);

 private:
  bool is_ahead_of_time(const Graph& graph, NodeId node);
  double products_of(const Graph& graph, NodeId node);
  std::vector<NodeId> going(const Graph& graph, const Match& match, const std::vector<NodeId>& results, NodeId first_new);

  std::map<std::vector<std::uint64_t>, double> products_;  // by form
};

}  // namespace vouch
