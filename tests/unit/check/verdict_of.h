// What the checker says of a rule, from the items between its braces.
#pragma once

#include "check/check.h"
#include "rule_of.h"

namespace vouch {

inline RuleVerdict whole_verdict_of(const std::string& items) { return check_rule(rule_of(items), {}); }

// Of ranks 0 to 2 alone, which is quick.
inline Verdict verdict_of(const std::string& items) {
  CheckOptions options;
  options.instances.max_rank = 2;
  return check_rule(rule_of(items), options).verdict;
}

}  // namespace vouch
