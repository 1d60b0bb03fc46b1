// The proof of an equality gone through again, step by step: nothing is searched for here. Each step must follow from those
// before it: congruence, elements that are the same, a region that the prover shows to be equal, a fold whose numbers are within
// its bound.
//
// Shares with what made the proof: how a pair is put together, the operators' definitions, the prover of one region.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "equiv/equiv.h"

namespace vouch {

struct Replay {
  bool holds = false;  // every step does, and every output is equal
  bool exact = true;
  double bound = 0;  // of folded parameters
  std::size_t folded = 0;
  std::string reason;  // why not, with the number of the step
};

Replay replay(const ModelPair& pair, const std::vector<EquivStep>& steps, const EquivOptions& options);

// What each step, of those that hold, says of its region; "" where it has none. The same in any run.
std::vector<std::string> region_texts(const ModelPair& pair, const std::vector<EquivStep>& steps, const EquivOptions& options);

}  // namespace vouch
