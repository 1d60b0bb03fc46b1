// What `vouch optimize` does: rules and the passes that need none, in turn, until neither changes anything.
#pragma once

#include <functional>
#include <vector>

#include "rewrite/engine.h"
#include "rewrite/trace.h"

namespace vouch {

struct OptimizeOptions {
  bool fold = true;         // evaluate calls on parameters ahead of time
  bool unpack = false;      // in the end, quantised weights become floats, and rules see these
  bool allow_cost = false;  // rewrites may make the model cost more
  Admissions admissions;    // as in RewriteOptions; what let a rule fire goes on the trace
  std::function<void(std::size_t done, std::size_t total)> on_progress;
};

struct OptimizeResult {
  RewriteResult rewriting;  // summed over all rounds; refusals of the last
  std::size_t folded = 0;   // calls evaluated ahead of time
  std::size_t merged = 0;   // equal subexpressions
  std::size_t rounds = 0;
  bool changed = false;
  bool left = false;  // rules of phase `leave` fired: no other rule has seen what they made
  // Not empty: what the rules of phase `enter` led to was not kept, and why.
  std::string not_kept;
};

// In stages, each to a fixpoint of rules and passes: rules of phase `first`, whatever they cost; those of phase `main`; those and
// the `late` ones; and if there are rules of phase `enter`, a detour through their dialect: these with all before, `leave` alone,
// and once more. What the detour led to is kept only if the model then costs less. Inside the bodies of If and Loop
// (rewrite/bodies.h) the same is done, in each body once. With `trace`, records every step. A cycle of rules ends the run;
// `rewriting.cycle` then says which.
OptimizeResult optimize(Graph& graph, const RuleSet& rules, const OptimizeOptions& options, Trace* trace = nullptr);
OptimizeResult optimize(Graph& graph, const std::vector<Rule>& rules, const OptimizeOptions& options, Trace* trace = nullptr);

}  // namespace vouch
