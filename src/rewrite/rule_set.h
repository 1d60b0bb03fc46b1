// Rules, with what matching wants to know of them: worked out once, whatever the number of graphs, rounds and bodies.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "rewrite/index.h"
#include "rewrite/plan.h"

namespace vouch {

// Several threads may use one.
class RuleSet {
 public:
  // The rules must outlive it.
  explicit RuleSet(const std::vector<Rule>& rules)
      : rules_(rules), index_(rules), plans_(std::make_unique<Planned[]>(rules.size())) {}

  const std::vector<Rule>& rules() const { return rules_; }
  const RuleIndex& index() const { return index_; }
  // Few rules match anything: a plan is made when it is first asked for.
  const RulePlan& plan(std::size_t rule) const {
    Planned& planned = plans_[rule];
    std::call_once(planned.made, [&] { planned.plan = plan_rule(rules_[rule]); });
    return planned.plan;
  }

 private:
  struct Planned {
    std::once_flag made;
    RulePlan plan;
  };
  const std::vector<Rule>& rules_;
  RuleIndex index_;
  std::unique_ptr<Planned[]> plans_;  // NOLINT: of a size that is known at run time; flags cannot be moved
};

}  // namespace vouch
