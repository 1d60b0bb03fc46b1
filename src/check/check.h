// A rule's verdict: every instance proven, or a counterexample, or what is left.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/prove.h"
#include "check/refute.h"
#include "check/site.h"

namespace vouch {

// `sound (exact)`, `sound (real)`, `unsound`, `ill-typed`, `vacuous`, `unknown`.
std::string_view verdict_name(Verdict verdict);
std::optional<Verdict> find_verdict(std::string_view name);
bool is_sound(Verdict verdict);

struct RuleVerdict {
  std::string rule;
  Verdict verdict = Verdict::Unknown;
  std::string reason;     // of Unknown and Vacuous; the first obstacle
  std::string instance;   // where it stands
  std::string remainder;  // what was left of source - target there
  // What was proven: ranks 0 to this for inputs whose rank the rule leaves open.
  std::uint32_t max_rank = 0;
  std::vector<std::string> dtypes;
  std::size_t instances = 0;
  std::size_t vacuous = 0;  // of them, without any legal size
  std::optional<Counterexample> counterexample;
  std::size_t queries = 0;
  std::size_t unknown_queries = 0;
  double slowest_query_ms = 0;
  double milliseconds = 0;
  // The weakest verdict of the instances of each key, Unknown if any of them is not proven. Empty if not all were tried.
  std::map<SiteKey, Verdict> sites;
  std::vector<QueryText> scripts;
};

struct CheckOptions {
  InstanceOptions instances;
  ProveOptions prove;
  std::size_t most_instances = 4000;  // per rule; beyond, fewer ranks are tried
  std::uint32_t seed = 0;             // the solver's; verdicts are not to depend on it
  bool refute = true;                 // look for counterexamples; also try some of what was proven
};

RuleVerdict check_rule(const Rule& rule, const CheckOptions& options);

// What a cached verdict depends on besides the rule: the operator definitions and this checker.
std::string checker_version();

}  // namespace vouch
