#include "driver/gate.h"

#include <fmt/format.h>

namespace vouch {

SiteKey Gate::key_of(const Rule& rule, const Match& match) const {
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
  return site_key(inputs);
}

std::optional<std::string> Gate::refusal(std::size_t rule, const Match& match) {
  if (allow_unproven_) {
    return std::nullopt;
  }
  const KeptVerdict& kept = store_.verdict(rules_[rule]);
  SiteKey key = key_of(rules_[rule], match);
  auto here = verdict_at(kept.sites, key);
  bool proven = here == Verdict::SoundExact || here == Verdict::SoundReal;
  if (proven) {
    return std::nullopt;
  }
  if (kept.sites.empty()) {
    return fmt::format("its verdict is {}{}", verdict_name(kept.kind), kept.reason.empty() ? "" : " (" + kept.reason + ")");
  }
  return fmt::format("it is not proven for inputs like these: {}", key);
}

std::string Gate::verdict(std::size_t rule, const Match& match) {
  if (allow_unproven_) {
    return "unproven";
  }
  auto here = verdict_at(store_.verdict(rules_[rule]).sites, key_of(rules_[rule], match));
  return std::string(verdict_name(here.value_or(Verdict::Unknown)));
}

}  // namespace vouch
