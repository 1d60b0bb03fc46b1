// Both models run on drawn inputs, in double precision: every tensor leaves a fingerprint, and outputs that differ refute.
//
// Equal fingerprints are a hypothesis and nothing more.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "equiv/comparison.h"
#include "equiv/draw.h"
#include "equiv/pair.h"

namespace vouch {

struct Round {
  std::vector<Tensor> inputs;       // in the order of the pair's
  std::vector<Fingerprint> prints;  // by node; of tuples none
};

struct SimulationOptions {
  std::map<std::string, Range> ranges;     // assumed of inputs
  std::vector<std::vector<Tensor>> given;  // inputs to begin with
  FoldTolerance parameter_change;          // what a folded parameter may be off
  std::size_t rounds = 3;                  // at most
  bool further = false;                    // not the usual rounds, but others: of other magnitudes and sizes
  std::function<void(std::size_t done, std::size_t total)> progress;
};

struct Simulation {
  std::vector<Round> rounds;
  std::optional<Divergence> divergence;
  std::string failure;          // why there are no rounds
  bool contradiction = false;   // congruent nodes had other values
  std::vector<Tensor> witness;  // of `divergence`: inputs with few elements that are not 0
  // Of the last round, which `divergence` is of: by node, were the parameters a little different. May be empty.
  std::vector<Fingerprint> changed;
};

Simulation simulate(const ModelPair& pair, const SimulationOptions& options);

}  // namespace vouch
