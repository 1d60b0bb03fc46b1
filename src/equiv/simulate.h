// Both models run on drawn inputs, in double precision: every tensor leaves a fingerprint, and outputs that differ refute.
//
// Equal fingerprints are a hypothesis and nothing more.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "equiv/draw.h"
#include "equiv/pair.h"

namespace vouch {

// Of one tensor in one round.
struct Fingerprint {
  Extents extents;
  double first = 0;  // two sums of its elements with fixed weights in [-1, 1] that depend on the position
  double second = 0;
  double norm = 0;      // the root of the sum of squares
  bool uniform = true;  // all elements are one: it tells nothing
};
// `tolerance`: of the norm.
bool alike(const Fingerprint& a, const Fingerprint& b, double tolerance);

struct Round {
  std::vector<Tensor> inputs;       // in the order of the pair's
  std::vector<Fingerprint> prints;  // by node; of tuples none
};

// Where two outputs are told apart.
struct Divergence {
  std::size_t output = 0;  // of the pair
  std::size_t round = 0;
  std::int64_t position = 0;  // the element, in row-major order
  double a = 0;               // its values, in double precision
  double b = 0;
  // Not empty: the second model gives no value there, and why.
  std::string failure;
};

struct SimulationOptions {
  std::map<std::string, Range> ranges;     // assumed of inputs
  std::vector<std::vector<Tensor>> given;  // inputs to begin with
  double parameter_change = 1e-6;          // relative: what a folded parameter may be off
  std::size_t rounds = 3;                  // at most
  std::function<void(std::size_t done, std::size_t total)> progress;
};

struct Simulation {
  std::vector<Round> rounds;
  std::optional<Divergence> divergence;
  std::string failure;          // why there are no rounds
  bool contradiction = false;   // congruent nodes had other values
  std::vector<Tensor> witness;  // of `divergence`: inputs with few elements that are not 0
};

Simulation simulate(const ModelPair& pair, const SimulationOptions& options);

}  // namespace vouch
