// Which instances of a rule its theorems were asked for, and whether that is less than `vouch check --coq` asks for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "check/check.h"
#include "rule/ast.h"
#include "theorem/coq_export.h"

namespace vouch {

// What a rule's file is made by, besides its text.
struct RuleRecipe {
  std::size_t theorems = 12;               // instances stated, at most
  std::size_t instances = kMostInstances;  // looked at, at most
  std::uint32_t max_rank = 4;
};

// What 'vouch check --coq' takes at most. A list that asks for more is none that it wrote, and would only take long.
inline constexpr RuleRecipe kMostRecipe{10'000, kMostInstances, 8};

struct RuleAsked {
  RuleRecipe recipe;
  std::vector<std::string> fewer;    // ranks or instances that `check` looks at, and that were not: it is proven in part
  std::vector<std::string> remarks;  // what else is not all that there is
};

// `coq` is what `recipe` gave of the rule.
RuleAsked rule_asked(const Rule& rule, const RuleRecipe& recipe, const CoqRule& coq);

}  // namespace vouch
