#include "optimize/gate.h"

#include <fmt/format.h>

namespace vouch {

Admission& Gate::admission(std::size_t rule) {
  if (auto known = known_.find(rule); known != known_.end()) {
    return known->second;
  }
  if (allow_unproven_) {
    return known_.emplace(rule, Admission::unproven()).first->second;
  }
  return admit_as(rule, store_.verdict(rules_[rule]));
}

Admission& Gate::admit_as(std::size_t rule, const KeptVerdict& kept) {
  std::string otherwise =
      fmt::format("its verdict is {}{}", verdict_name(kept.kind), kept.reason.empty() ? "" : " (" + kept.reason + ")");
  auto scopes = is_sound(kept.kind) ? kept.scopes : nullptr;
  return known_.emplace(rule, Admission::by_scopes(std::move(scopes), std::move(otherwise))).first->second;
}

Admissions Gate::admissions() {
  return {[this](std::size_t rule) -> Admission& { return admission(rule); },
          [this](std::size_t rule, const Admissions::Matching& matching) {
            if (allow_unproven_ || known_.contains(rule)) {
              return;
            }
            if (const KeptVerdict* kept = store_.find(rules_[rule])) {
              admit_as(rule, *kept);
            } else {
              prove(matching());
            }
          }};
}

void Gate::prove(const std::vector<std::size_t>& rules) {
  if (allow_unproven_) {
    return;
  }
  std::vector<const Rule*> asked;
  for (std::size_t rule : rules) {
    asked.push_back(&rules_[rule]);
  }
  store_.prove(asked);
}

}  // namespace vouch
