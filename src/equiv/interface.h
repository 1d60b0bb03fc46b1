// Which input and output of one model is which of the other.
#pragma once

#include "equiv/pair.h"
#include "term/substitute.h"

namespace vouch {

struct Interface {
  struct Input {
    NodeId a = kNoNode;  // kNoNode: the other model has it alone, and does not use it
    NodeId b = kNoNode;
  };
  std::vector<Input> inputs;
  std::vector<std::pair<std::size_t, std::size_t>> outputs;  // positions
  Substitution a_sizes;                                      // what a size of a model is in the pair
  Substitution b_sizes;
  std::vector<std::string> notes;
  std::vector<Mismatch> mismatches;
};

Interface match_interfaces(const Graph& a, const Graph& b, const PairOptions& options);

}  // namespace vouch
