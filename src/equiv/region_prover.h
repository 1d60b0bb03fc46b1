// Are two tensors equal, given what is known to be? The calls between them and what both read, as a region for the prover.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "check/prove.h"
#include "check/region.h"
#include "equiv/classes.h"
#include "equiv/fold.h"
#include "equiv/views.h"

namespace vouch {

// Where a region is cut: at nodes that are equal to one of the other side. `deeper`: how many of those each path from the second
// model's tensor goes through first.
struct RegionShape {
  std::size_t deeper = 0;
  std::size_t most_nodes = 24;  // of a side
  // Not 0: paths to inputs end at this many calls, wherever that is; each side reads tensors of its own there, of any value. What
  // hides them is proven so: weights that are 0, a softmax of one element. What is computed from constants alone is no such path.
  std::size_t most_deep = 0;
  bool small_constants = false;  // let the proof look at the elements of constants that are not all one
};

// Where a region's input is read: nodes that are equal, of each side; and whether the proof looks at its elements.
struct RegionCut {
  std::vector<NodeId> source;
  std::vector<NodeId> target;
  bool shown = false;
};

struct RegionProof {
  ProofResult result = ProofResult::Unknown;
  bool by_values = false;  // Real, for the values that parameters have
  bool folded = false;     // and these are within `bound` of what they stand for
  double bound = 0;
  std::string reason;
  std::vector<NodeId> cut;  // one node for each input
  std::vector<RegionCut> cuts;
  std::vector<ParameterView> views;
  std::vector<NodeId> source;  // the calls of both sides, operands first
  std::vector<NodeId> target;
  std::string text;     // canonical: regions of one text have one proof
  bool lasting = true;  // it says all of it, in any run
};

// What the integer solver was asked for a proof, as SMT-LIB 2.
struct RegionQuery {
  std::string region;  // its text
  std::string script;
};

// What is known of regions, by their text. Several comparisons may share one, in several threads.
class RegionVerdicts {
 public:
  struct Outcome {
    ProofResult result = ProofResult::Unknown;
    std::string reason;
  };

  RegionVerdicts() = default;
  RegionVerdicts(const RegionVerdicts&) = delete;
  RegionVerdicts& operator=(const RegionVerdicts&) = delete;
  virtual ~RegionVerdicts() = default;
  // Null where nothing is known.
  virtual const Outcome* find(const std::string& text);
  // `lasting`: the text alone says what the region is, in any run. What was kept first stays.
  virtual const Outcome& keep(const std::string& text, Outcome outcome, bool lasting);

  // Are the queries of proofs wanted? Those of every region and fold that was proven, then.
  virtual bool wants_queries() const { return false; }
  void note_queries(const std::string& text, const std::vector<QueryText>& queries);
  const std::vector<RegionQuery>& queries() const { return queries_; }

 private:
  std::mutex mutex_;
  std::map<std::string, Outcome> known_;
  std::vector<RegionQuery> queries_;
};

// Regions that explode end without a claim.
inline constexpr ProveOptions kRegionLimits{
    .keep_scripts = false, .fuel = 400, .explain = false, .questions = 2000, .summands = 20000};
// Terms that may have normal forms which no memory holds.
bool is_too_large(const Instance& instance);

class RegionProver {
 public:
  // `is_anchor`: whether a node of the second model (or of the first, when it is compared with itself) may be read by both sides.
  RegionProver(const Graph& graph, const Classes& classes, std::set<Symbol> sizes, RegionVerdicts& verdicts)
      : graph_(graph), classes_(classes), sizes_(std::move(sizes)), verdicts_(verdicts), fed_(fed_nodes(graph)) {}

  // Is `b` equal to `a`? `anchors`: classes at which b's side may be cut. `folds`: of no tolerance if parameters must be equal.
  RegionProof prove(NodeId a, NodeId b, const std::function<bool(ClassId)>& anchors, const RegionShape& shape,
                    const FoldOptions& folds);

  // Proofs asked for, each text once.
  const std::set<std::string>& asked() const { return asked_; }
  // What each took, folds included.
  const std::vector<double>& seconds() const { return seconds_; }

 private:
  static std::vector<bool> fed_nodes(const Graph& graph);
  ProveOptions limits() const;
  std::vector<const Tensor*> hidden_values(const Region& region, const RegionProof& proof) const;
  void prove_known(const Region& region, RegionProof& proof);
  void fold(const Region& region, const FoldOptions& how, RegionProof& proof);

  const Graph& graph_;
  const Classes& classes_;
  std::set<Symbol> sizes_;
  RegionVerdicts& verdicts_;
  std::vector<bool> fed_;  // nodes that are computed from an input
  std::set<std::string> asked_;
  std::set<std::pair<std::string, std::vector<ClassId>>> folds_tried_;
  std::vector<double> seconds_;
};

}  // namespace vouch
