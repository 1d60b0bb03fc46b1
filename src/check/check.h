// A rule's verdict: every instance proven, or a counterexample, or what is left.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/prove.h"
#include "refute/refute.h"
#include "rule/scope.h"

namespace vouch {

struct RuleVerdict {
  std::string rule;
  Verdict verdict = Verdict::Unknown;
  std::string reason;     // of Unknown and Vacuous; the first obstacle
  std::string instance;   // where it stands
  std::string remainder;  // what was left of source - target there
  // What was proven: ranks 0 to this for inputs whose rank the rule leaves open.
  std::uint32_t max_rank = 0;
  bool any_rank = false;            // proven of ranks 0 and 1, which say all (instance/rank_lifting.h)
  std::vector<std::string> dtypes;  // of inputs, in what was proven
  std::vector<std::string> alike;   // of these, types of which one was proven for all: `floats`, `any type`
  std::string excluded;             // why the target is ill-typed for other types, where the rule does not fire
  std::set<std::string> bounds;     // of other things that have more values than can be tried: `lists to 8`
  std::size_t instances = 0;
  std::size_t tried = 0;    // and those that were gone through or counted before it was known that there are too many
  std::size_t vacuous = 0;  // of them, without any legal size
  std::optional<Counterexample> counterexample;
  std::size_t queries = 0;
  std::size_t unknown_queries = 0;
  double slowest_query_ms = 0;
  double milliseconds = 0;
  std::vector<Scope> scopes;  // of the instances, each with what was proven there; empty unless the rule is sound
  std::vector<QueryText> scripts;
};

// Of a rule; beyond, fewer ranks are tried.
inline constexpr std::size_t kMostInstances = 4000;

struct CheckOptions {
  InstanceOptions instances;
  ProveOptions prove;
  std::size_t most_instances = kMostInstances;
  std::uint32_t seed = 0;  // the solver's; verdicts are not to depend on it
  bool refute = true;      // look for counterexamples; also try some of what was proven
};

RuleVerdict check_rule(const Rule& rule, const CheckOptions& options);

// What a cached verdict depends on besides the rule: the operator definitions and this checker.
const std::string& checker_version();

}  // namespace vouch
