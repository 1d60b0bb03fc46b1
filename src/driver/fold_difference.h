// How far folded parameters are from what is exact: each fold is computed again in rationals (functions such as sqrt in
// enclosures), from the model's own numbers on through all folds that build on each other.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "graph/graph.h"
#include "kernel/exact.h"

namespace vouch {

class FoldDifference {
 public:
  // A call and the parameter that takes its place, both in the graph.
  void add(const Graph& graph, NodeId call, NodeId parameter);
  // `none`; how many calls, the largest difference, relative to the largest element of its tensor, and what was not measured.
  std::string text() const;

 private:
  struct Folded {
    Tensor value;                      // as it is kept
    std::optional<ExactTensor> exact;  // nothing: not measured
  };

  std::optional<ExactTensor> exact_before(const Graph& graph, NodeId node) const;
  Evaluated<ExactTensor> exact(const Graph& graph, NodeId call) const;

  std::map<std::pair<const Graph*, NodeId>, Folded> folded_;  // parameters that are not what they stand for, or may not be
  std::size_t calls_ = 0;
  std::size_t unmeasured_ = 0;
  std::string why_;  // the first that was not measured
  double worst_ = 0;
};

}  // namespace vouch
