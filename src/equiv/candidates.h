// Which tensors of the first model have the fingerprint of one of the second: hypotheses, nearest first.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "equiv/pair.h"
#include "equiv/simulate.h"

namespace vouch {

class Candidates {
 public:
  // `folds`: parameters may be off by so much.
  Candidates(const ModelPair& pair, const Simulation& simulation, FoldTolerance folds);

  // Of the first model, best first; `most` of them.
  std::vector<NodeId> of(NodeId node, std::size_t most) const;
  // Do both give the same fingerprint in every round? False where nothing was simulated.
  bool alike(NodeId a, NodeId b) const;
  // Its elements are all one, in every round: its fingerprint tells nothing.
  bool is_uniform(NodeId node) const;

 private:
  double tolerance(DType type) const;  // of fingerprints

  const ModelPair& pair_;
  const Simulation& simulation_;
  FoldTolerance folds_;
  using Form = std::pair<DType, Extents>;                          // in the first round
  std::map<Form, std::vector<std::pair<double, NodeId>>> sorted_;  // by its fingerprint there
};

}  // namespace vouch
