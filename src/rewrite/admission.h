// What may be applied. A match fires only if it was admitted: by a scope that was proven of its rule and covers what the match
// found, or because a person asked for unproven rules. `Applier::apply` takes nothing else, so search, replay and whatever comes
// later cannot go around it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rewrite/match.h"
#include "rule/scope.h"

namespace vouch {

class AdmittedMatch {
 public:
  const RulePlan& plan() const { return *plan_; }
  const Match& match() const { return *match_; }
  // By which it may fire; nothing if a person asked for it unproven.
  std::optional<Verdict> proven() const { return proven_; }
  // `sound (exact)`, `sound (real)`, `unproven`.
  std::string_view grounds() const { return proven_ ? verdict_name(*proven_) : "unproven"; }

 private:
  friend class Admission;
  AdmittedMatch(const RulePlan& plan, const Match& match, std::optional<Verdict> proven)
      : plan_(&plan), match_(&match), proven_(proven) {}
  const RulePlan* plan_;
  const Match* match_;
  std::optional<Verdict> proven_;
};

// For one rule. Remembers what it answered for what scopes can tell apart.
class Admission {
 public:
  // Wherever one of these scopes covers the match. `otherwise` is said where there is none at all (or null): the rule's verdict.
  static Admission by_scopes(std::shared_ptr<const std::vector<Scope>> scopes, std::string otherwise);
  // Everywhere: for those who asked for it by name.
  static Admission unproven();

  Admission(Admission&&) noexcept;
  Admission& operator=(Admission&&) noexcept;
  ~Admission();

  // Nothing where no scope covers the match. Plan and match must outlive the answer.
  std::optional<AdmittedMatch> admit(const Graph& graph, const RulePlan& plan, const Match& match);
  // Of a match that is not admitted: variable, value found and values proven.
  std::string why_not(const Graph& graph, const RulePlan& plan, const Match& match);

 private:
  class Scopes;
  explicit Admission(std::unique_ptr<Scopes> scopes);
  std::unique_ptr<Scopes> scopes_;  // null: everywhere
};

}  // namespace vouch
