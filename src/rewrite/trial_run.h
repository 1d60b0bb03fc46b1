// Both sides of a rewrite, run in floats on trial inputs where they stand. Sizes without a number take small ones.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "graph/eval.h"
#include "graph/graph.h"
#include "rewrite/match.h"
#include "term/substitute.h"

namespace vouch {

class TrialRun {
 public:
  explicit TrialRun(const Graph& graph) : graph_(graph) {}

  // Nodes numbered from `first_new` on are the target's.
  void choose_sides(const Match& match, const std::vector<NodeId>& results, NodeId first_new);
  // Of both sides, in the order of evaluation.
  const std::vector<NodeId>& parts() const { return parts_; }
  // What these take from outside: constants, and whatever is computed.
  const std::vector<NodeId>& leaves() const { return leaves_; }

  // Every size without a number is this one. Was there any?
  bool choose_sizes(int size);
  // Multiplications, as of a product of matrices: the root of the sizes of both operands and of the result.
  double work() const;
  static constexpr int kTrials = 4;
  // Do both sides have values? They stand in `values` then.
  bool run(int trial);

  // The values that are known; `evaluate` adds those of a part whose operands are among them.
  std::unordered_map<NodeId, EvalValue>& values() { return values_; }
  bool operands_known(NodeId node) const;
  bool evaluate(NodeId node);

  // Elements; more than any trial can take where a size has no number.
  double count(Type type) const;

 private:
  void choose_sizes(Type type, int size);
  std::optional<Extents> extents_of(Type type) const;
  bool evaluate_call(NodeId node, EvalValue& value);

  const Graph& graph_;
  GraphEvaluator evaluator_;
  NodeId first_new_ = 0;
  std::unordered_set<NodeId> inside_;
  std::vector<NodeId> parts_;
  std::vector<NodeId> leaves_;
  Substitution sizes_;
  std::unordered_map<NodeId, EvalValue> values_;
};

}  // namespace vouch
