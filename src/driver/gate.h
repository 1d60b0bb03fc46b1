// Only proven rules fire: the verdict on a rule is looked up (or worked out, and kept) when it first matches, and it must
// cover the element types and sizes of the inputs at the site.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/verdict_store.h"
#include "rewrite/match.h"

namespace vouch {

class Gate {
 public:
  Gate(const Graph& graph, const std::vector<Rule>& rules, bool allow_unproven)
      : graph_(graph), rules_(rules), allow_unproven_(allow_unproven) {}

  // Nothing: the rule may fire here. Else why not.
  std::optional<std::string> refusal(std::size_t rule, const Match& match);
  // What allows it: `sound (exact)`, `sound (real)`, or `unproven`.
  std::string verdict(std::size_t rule, const Match& match);

 private:
  std::vector<SiteInput> inputs_of(const Rule& rule, const Match& match) const;
  std::optional<Verdict> verdict_of(const KeptVerdict& kept, const std::vector<SiteInput>& inputs) const;

  const Graph& graph_;
  const std::vector<Rule>& rules_;
  bool allow_unproven_;
  VerdictStore store_;
};

}  // namespace vouch
