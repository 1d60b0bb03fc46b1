// Rewriting by a set of rules to a fixpoint.
//
// A discrimination net finds the rules that may match at a node; a sweep visits nodes in reverse post-order, a rewrite
// re-queues its neighbourhood at once, and sweeps repeat until one changes nothing. Cost per rewrite does not grow with
// the graph, cost per node not with the number of rules.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "rewrite/admissions.h"
#include "rewrite/apply.h"
#include "rewrite/match.h"
#include "rewrite/rule_set.h"

namespace vouch {

// One step, as it has just been done. The match tells what was replaced, by ids that are no longer live.
struct RewriteStep {
  std::size_t rule = 0;  // position in the rule set
  const RulePlan* plan = nullptr;
  const Match* match = nullptr;
  const Application* application = nullptr;
  const std::vector<std::string>* replaced = nullptr;  // names of the replaced outputs
  std::string_view grounds;                            // what let it fire, as `AdmittedMatch` has it
};

struct Refusal {
  std::size_t rule = 0;
  std::string node;
  std::string reason;
  std::size_t count = 1;  // of this rule and reason
};

// Rules of other phases do not fire.
using PhaseSet = std::uint8_t;
constexpr PhaseSet phase_bit(Phase phase) { return static_cast<PhaseSet>(1U << static_cast<unsigned>(phase)); }
inline constexpr PhaseSet kEveryPhase = 0xff;

struct RewriteOptions {
  ApplyOptions apply = {.worth = Worth::WhatRulesSay};
  std::size_t most_steps = 100'000'000;
  // A rewrite that makes the graph grow gives what it writes one generation more than what it replaces has; rules that keep
  // growing what they wrote are stopped after so many. Rules that only reshape what they wrote are stopped when they write
  // again what stood at the place before, or after `most_generations` plus four times the size of the graph.
  std::uint32_t most_generations = 64;
  Admissions admissions = {};  // asked when a rule first matches
  PhaseSet phases = kEveryPhase;
  std::function<void(const RewriteStep&)> on_step = {};
  std::function<void(std::size_t done, std::size_t total)> on_progress = {};
};

struct RewriteResult {
  std::vector<std::size_t> fired;  // per rule
  std::size_t steps = 0;
  std::size_t sweeps = 0;
  std::vector<Refusal> refusals;  // of the last sweep
  // Not empty: stopped, with the rules that keep undoing each other and the nodes, by name.
  std::string cycle;
};

RewriteResult rewrite(Graph& graph, const RuleSet& rules, const RewriteOptions& options);
RewriteResult rewrite(Graph& graph, const std::vector<Rule>& rules, const RewriteOptions& options);

}  // namespace vouch
