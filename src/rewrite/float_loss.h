// Rewrites that are equal over the reals, and ruin floats where they stand: a constant folded to infinity, a value lost beside a
// constant of 3e38 on one side alone, what underflows on the way. No proof over the reals tells of it, for it depends on the
// constants of one site; so where these, or what is folded of few of them, are far from 1 both sides are run in floats on trial
// inputs.
//
// Refused are rewrites that make a constant that is not finite of finite ones, or that change more than half of the digits of
// a result, or a result that is an integer by more than a step. A site whose trial would take too long is looked at by its
// constants alone. So are sites where the source has no value (undefined_source.h), of `sound (exact)` rules too.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "rewrite/match.h"
#include "rewrite/undefined_source.h"

namespace vouch {

class FloatLoss {
 public:
  explicit FloatLoss(const Graph& graph);
  ~FloatLoss();

  // Why the matched outputs must not become these results, whose new nodes have numbers from `first_new` on; nothing if they may.
  std::optional<std::string> find(const Match& match, Verdict proven, const std::vector<NodeId>& results, NodeId first_new);

 private:
  class Trials;
  UndefinedSource undefined_;
  std::unique_ptr<Trials> trials_;
};

}  // namespace vouch
