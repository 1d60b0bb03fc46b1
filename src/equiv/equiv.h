// Are two models the same function? Sweeping, as hardware equivalence checkers do: fingerprints suggest which tensors are equal,
// congruence and the prover show it in topological order, and outputs that differ on an input refute it.
//
// `Equal` rests on proofs alone: every output of the second model was shown equal to the first's, for all values of the inputs
// and all sizes that both models admit (`notes` says which were fixed), by the steps in `steps`.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "equiv/pair.h"
#include "equiv/region_prover.h"
#include "equiv/simulate.h"

namespace vouch {

enum class EquivVerdict : std::uint8_t {
  EqualExact,  // bit for bit: no law of arithmetic was used
  EqualReal,   // over the reals, and parameters are within `fold_bound` of what they stand for
  Different,
  Open,
  Mismatched,  // the interfaces differ
};

// Why one tensor of the second model is one of the first. Each step follows from those before it.
struct EquivStep {
  enum class Kind : std::uint8_t { Value, Contents, Congruence, Region, Fold, Bodies } kind = Kind::Congruence;
  NodeId node = kNoNode;  // of the pair
  NodeId equals = kNoNode;
  bool exact = true;            // false: over the reals
  std::string region;           // of Region and Fold: its canonical text
  double bound = 0;             // of Fold and Bodies: the largest relative difference
  std::vector<RegionCut> cuts;  // of Region and Fold
  bool by_values = false;       // of Region and Fold: it holds for the values that parameters have
};

// What could not be shown, though both sides agree wherever they were run.
struct OpenRegion {
  NodeId a = kNoNode;
  NodeId b = kNoNode;
  std::string text;
  std::string reason;
  std::vector<RegionCut> cuts;
};

// The step of a rewriter's trace by which the second model became another function than the first.
struct BlamedStep {
  std::size_t step = 0;  // from 1 on; 0: none was found
  std::string rule;      // that fired; empty: no rule did
  std::string pass;      // else
  std::string tensor;    // that it made; empty if that has no name
  std::string reason;    // why this one
};

struct EquivOptions {
  PairOptions pairing;
  SimulationOptions simulation;
  bool exact = false;  // steps over the reals do not count
  FoldTolerance fold_tolerance;
  std::function<void(std::size_t done, std::size_t total)> progress;
  RegionVerdicts* verdicts = nullptr;             // kept from other runs; null: of this run alone
  std::size_t nesting = 0;                        // of graphs in attributes: their sizes may be 0
  std::shared_ptr<class BodyProofs> bodies = {};  // found of graphs in attributes, in this comparison
};

struct EquivResult {
  EquivVerdict verdict = EquivVerdict::Open;
  double fold_bound = 0;
  std::size_t folded = 0;  // parameters
  std::vector<Mismatch> mismatches;
  std::optional<ModelPair> pair;
  Simulation simulation;
  std::vector<EquivStep> steps;
  std::vector<OpenRegion> open;
  std::vector<std::size_t> unproven;  // outputs
  bool contradiction = false;         // all outputs were proven, and numbers differ: one of the two is wrong
  // Of Different: the first tensor of the second model that has no equal in the first though all that it is computed from has,
  // and the first that has another value than its namesake.
  NodeId first_differing = kNoNode;
  NodeId first_differing_name = kNoNode;
  std::optional<BlamedStep> blamed;  // set by whoever knows how the second model was made
  std::size_t regions = 0;           // proofs asked for, each text once
  double proof_seconds = 0;
  double median_proof_seconds = 0;  // of one region; 0 if there is none
  double simulation_seconds = 0;
};

EquivResult compare_models(const Graph& a, const Graph& b, const EquivOptions& options);

}  // namespace vouch
