#include "driver/rule_asked.h"

#include <fmt/format.h>

#include <algorithm>

#include "check/ranks_asked.h"

namespace vouch {

RuleAsked rule_asked(const Rule& rule, const RuleRecipe& recipe, const CoqRule& coq) {
  RuleAsked out{recipe, {}, {}};
  const RuleRecipe usual;
  const std::uint32_t ranks = ranks_asked(rule, CheckOptions{});
  if (recipe.max_rank < ranks) {
    out.fewer.push_back(
        fmt::format("asked of ranks to {} alone, and 'vouch check --coq' asks of ranks to {}", recipe.max_rank, ranks));
  }
  // Beyond the ranks that `check` asks of, those that are left out may be its own.
  if (!coq.complete && (recipe.instances < usual.instances || recipe.max_rank > ranks)) {
    out.fewer.push_back(
        fmt::format("of the instances at ranks to {} the first {} alone were looked at{}", recipe.max_rank, recipe.instances,
                    recipe.instances < usual.instances ? fmt::format(", and 'vouch check --coq' looks at {}", usual.instances)
                                                       : fmt::format("; 'vouch check --coq' asks of ranks to {}", ranks)));
  } else if (!coq.complete) {
    out.remarks.push_back(fmt::format("there are more than the {} instances that are looked at", recipe.instances));
  }
  if (recipe.theorems < usual.theorems && coq.stated < coq.distinct) {
    out.remarks.push_back(
        fmt::format("{} of {} instances are stated, and 'vouch check --coq' states {} unless it is told otherwise", coq.stated,
                    coq.distinct, std::min(usual.theorems, coq.distinct)));
  }
  return out;
}

}  // namespace vouch
