// Rewriting by a set of rules to a fixpoint.
//
// Rules are indexed by the operator of their first output (its tests are cheap: kind and operator of the node and of its
// operands); a sweep visits nodes in reverse post-order, a rewrite re-queues its neighbourhood at once, and sweeps repeat until
// one changes nothing. Cost per rewrite does not grow with the graph.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "rewrite/apply.h"
#include "rewrite/match.h"

namespace vouch {

// One line of a trace.
struct RewriteStep {
  std::size_t rule = 0;  // position in the rule set
  Match match;
  Application application;
  std::vector<std::string> replaced;  // names of the replaced outputs
};

struct Refusal {
  std::size_t rule = 0;
  std::string node;
  std::string reason;
  std::size_t count = 1;  // of this rule and reason
};

struct RewriteOptions {
  ApplyOptions apply;
  std::size_t most_steps = 10'000'000;
  // A rule that keeps rewriting what it wrote itself is stopped after this many generations (a rewrite that
  // does not shrink the graph makes nodes one generation younger than those it replaces).
  std::uint32_t most_generations = 64;
  // May this rule fire here? Nothing: yes, else why not. (Is it proven for the ranks and element types at the site?)
  std::function<std::optional<std::string>(std::size_t rule, const Match&)> gate;
  std::function<void(const RewriteStep&)> on_step;
  std::function<void(std::size_t done, std::size_t total)> on_progress;
};

struct RewriteResult {
  std::vector<std::size_t> fired;   // per rule
  std::size_t steps = 0;
  std::size_t sweeps = 0;
  std::vector<Refusal> refusals;
  // Not empty: stopped, with the rules that keep undoing each other, by name, and the node.
  std::string cycle;
};

RewriteResult rewrite(Graph& graph, const std::vector<Rule>& rules, const RewriteOptions& options = {});

}  // namespace vouch
