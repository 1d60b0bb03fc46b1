// The proof of equality: one pass over both models in topological order, merging what is shown to be equal.
#pragma once

#include "equiv/candidates.h"
#include "equiv/classes.h"
#include "equiv/equiv.h"
#include "equiv/region_prover.h"
#include "graph/eval.h"

namespace vouch {

class Sweep {
 public:
  enum class Purpose : std::uint8_t {
    Prove,
    Locate,  // the models are known to differ; what is equal is of interest only to say where
    Assume,  // no proof: what cannot be shown is assumed, so that each open region is named by itself
  };
  // Of Assume: the nodes that are wanted.
  void limit_to(std::vector<bool> wanted) { wanted_ = std::move(wanted); }
  Sweep(const ModelPair& pair, const Candidates& candidates, const EquivOptions& options, RegionVerdicts& verdicts,
        Purpose purpose)
      : pair_(pair),
        candidates_(candidates),
        options_(options),
        purpose_(purpose),
        classes_(pair.graph),
        // Sizes of nested graphs may be 0.
        prover_(pair.graph, classes_, options.nesting == 0 ? pair.sizes : std::set<Symbol>(), verdicts) {}

  void run();

  const Classes& classes() const { return classes_; }
  const RegionProver& prover() const { return prover_; }
  std::vector<EquivStep> take_steps() { return std::move(steps_); }
  std::vector<OpenRegion> take_open() { return std::move(open_); }
  // Is the node's class one of the first model's, too?
  bool is_known(NodeId node) const { return in_a(classes_.find(node)); }

 private:
  void add(NodeId node);
  void evaluate(NodeId node);
  void match_within(NodeId node);
  std::vector<RegionShape> shapes() const;
  void match(NodeId node);
  void match_bodies(NodeId node);
  void match_outputs();
  bool try_region(NodeId a, NodeId b, const std::function<bool(ClassId)>& anchors, const RegionShape& shape, RegionProof& proof);
  bool in_a(ClassId id) const;
  void note_merges();

  const ModelPair& pair_;
  const Candidates& candidates_;
  const EquivOptions& options_;
  Purpose purpose_;
  std::vector<bool> wanted_;
  std::size_t failures_ = 0;  // tensors for which everything was tried in vain
  Classes classes_;
  RegionProver prover_;
  GraphEvaluator evaluator_{evaluation(pair_)};
  std::vector<EquivStep> steps_;
  std::vector<OpenRegion> open_;
  std::size_t noted_ = 0;  // merges of `classes_` that are steps
};

}  // namespace vouch
