// Conditions as text that both index notation and C read; what they compare is printed by the caller.
#pragma once

#include <functional>
#include <string>

#include "term/term.h"

namespace vouch {

struct GuardParts {
  std::function<std::string(Term)> integer;
  std::function<std::string(Term)> scalar;
  std::function<std::string(Term)> constant;
};

// Conjunctions and disjunctions stand in parentheses of their own, comparisons do not.
std::string guard_text(Term guard, const GuardParts& parts);

}  // namespace vouch
