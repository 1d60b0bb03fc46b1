#include "driver/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace vouch {

std::vector<SiteInput> Gate::inputs_of(const Rule& rule, const Match& match) const {
  std::vector<SiteInput> inputs;
  auto add = [&](PatternId id, std::optional<std::int64_t> branch, NodeId node) {
    if (node != kNoNode && rule.is_input(id)) {
      inputs.push_back({id, branch, graph_.type(node)});
    }
  };
  for (PatternId id = 0; id < rule.patterns.size(); ++id) {
    if (rule.pattern(id).owner == kNone) {
      add(id, std::nullopt, match.nodes[id]);
    }
  }
  for (std::size_t f = 1; f < match.frames.size(); ++f) {
    const Match::Frame& frame = match.frames[f];
    const Pattern& variadic = rule.pattern(frame.variadic);
    for (std::size_t k = 0; k < variadic.templates.size(); ++k) {
      bool named = frame.index == 0 && k < variadic.first.size() && variadic.first[k] != kNone;
      if (!named) {  // a first instance stands among the patterns above
        add(variadic.templates[k], frame.index, match.cells[frame.first_cell + k].node);
      }
    }
  }
  return inputs;
}

// By the site as a whole; or by a proof for any number of branches, each of which is then a site of its own.
std::optional<Verdict> Gate::verdict_of(const KeptVerdict& kept, const std::vector<SiteInput>& inputs) const {
  if (auto whole = verdict_at(kept.sites, site_key(inputs))) {
    return whole;
  }
  std::set<std::int64_t> branches;
  for (const SiteInput& input : inputs) {
    if (input.branch) {
      branches.insert(*input.branch);
    }
  }
  std::optional<Verdict> weakest;
  for (std::int64_t branch : branches) {
    std::vector<SiteInput> one;
    for (const SiteInput& input : inputs) {
      if (!input.branch || *input.branch == branch) {
        one.push_back({input.pattern, input.branch ? std::optional(kAnyBranch) : std::nullopt, input.type});
      }
    }
    auto here = verdict_at(kept.sites, site_key(one));
    if (!here) {
      return std::nullopt;
    }
    weakest = std::max(weakest.value_or(*here), *here);
  }
  return weakest;
}

std::optional<std::string> Gate::refusal(std::size_t rule, const Match& match) {
  if (allow_unproven_) {
    return std::nullopt;
  }
  const KeptVerdict& kept = store_.verdict(rules_[rule]);
  std::vector<SiteInput> inputs = inputs_of(rules_[rule], match);
  auto here = verdict_of(kept, inputs);
  bool proven = here == Verdict::SoundExact || here == Verdict::SoundReal;
  if (proven) {
    return std::nullopt;
  }
  if (kept.sites.empty()) {
    return fmt::format("its verdict is {}{}", verdict_name(kept.kind), kept.reason.empty() ? "" : " (" + kept.reason + ")");
  }
  return fmt::format("it is not proven for inputs like these: {}", site_key(inputs));
}

std::string Gate::verdict(std::size_t rule, const Match& match) {
  if (allow_unproven_) {
    return "unproven";
  }
  auto here = verdict_of(store_.verdict(rules_[rule]), inputs_of(rules_[rule], match));
  return std::string(verdict_name(here.value_or(Verdict::Unknown)));
}

}  // namespace vouch
