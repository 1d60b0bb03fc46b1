// What the scopes of a rule look at in a match: two matches with the same words there get the same answer.
#pragma once

#include <vector>

#include "rewrite/looks.h"
#include "rule/scope.h"

namespace vouch {

class ScopeLooks {
 public:
  // The plan is of the rule that the scopes were proven for. Elements, branches and options are not looked at by words alone:
  // `flat` is false where a scope speaks of them.
  ScopeLooks(const std::vector<Scope>& scopes, const RulePlan& plan);
  bool flat() const { return flat_; }
  const Looks& looks() const { return looks_; }

 private:
  Looks looks_;
  bool flat_ = true;
};

}  // namespace vouch
