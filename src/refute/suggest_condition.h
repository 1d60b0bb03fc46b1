// Side conditions that may repair a wrong rule: searched in a small grammar over what the rule's source has, groups equal to
// one, no padding, non-negative axes and paddings, equal ranks, shapes and sizes, divisibility, as many branches as parts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "refute/refute.h"

namespace vouch {

struct Repair {
  Rule rule;                            // with the conditions
  std::vector<std::string> conditions;  // as text, each a `where`
  std::size_t compared = 0;             // comparisons on which it held
};

struct RepairOptions {
  std::size_t most_conditions = 2;  // in one repair
  std::size_t most_trials = 300;    // repairs tried
  std::size_t most_work = 6000;     // instances and comparisons of all trials; as many again of those that a quick one left
  RefuteOptions quick{.assignments = 3, .draws = 2, .most_instances = 40, .shrink = false, .instances = {}};
  RefuteOptions thorough{.assignments = 12, .draws = 3, .most_instances = 400, .shrink = false, .instances = {}};
};

// The candidates of the grammar for this rule, as text.
std::vector<std::string> condition_candidates(const Rule& rule);

// The repair with the fewest conditions that is not refuted, and among those the one that leaves most instances legal: a
// suggestion, to be proven. Nothing if there is none, or if no instance would be left.
std::optional<Repair> suggest_repair(const Rule& rule, const RepairOptions& options = {});

}  // namespace vouch
