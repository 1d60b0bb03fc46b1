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
  Candidates(const ModelPair& pair, const Simulation& simulation);

  // Of the first model, best first; `most` of them.
  std::vector<NodeId> of(NodeId node, std::size_t most) const;
  // Do both give the same fingerprint in every round? False where nothing was simulated.
  bool alike(NodeId a, NodeId b) const;
  // Its elements are all one, in every round: its fingerprint tells nothing.
  bool is_uniform(NodeId node) const;

 private:
  const ModelPair& pair_;
  const Simulation& simulation_;
  using Form = std::pair<DType, Extents>;                          // in the first round
  std::map<Form, std::vector<std::pair<double, NodeId>>> sorted_;  // by its fingerprint there
};

}  // namespace vouch
