// Along which patterns the outputs of a rule are found, one after another.
#pragma once

#include <vector>

#include "rewrite/plan.h"

namespace vouch {

// What the outputs planned so far reach.
struct Matched {
  std::vector<std::uint32_t> by;  // per pattern: the first output that reaches it, or kNone
  std::vector<bool> certain;      // per pattern: no option can leave it out
};

// Plans the k-th output and enters what it reaches.
OutputPlan plan_output(const RulePlan& plan, std::uint32_t k, Matched& matched);

// The patterns whose attributes an expression reads; of an instance, its variadic.
std::vector<PatternId> patterns_of_attr(const Rule& rule, AttrId attr);

}  // namespace vouch
