#include "driver/region_store.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "check/check.h"

namespace vouch {
namespace {

using Json = nlohmann::ordered_json;

// All that a verdict depends on besides the program.
std::string subject(const std::string& text) {
  return fmt::format("vouch regions 1\n{}\nfuel {} questions {} summands {}\n{}", checker_version(), kRegionLimits.fuel,
                     kRegionLimits.questions, kRegionLimits.summands, text);
}

bool is_proven(ProofResult result) { return result == ProofResult::Exact || result == ProofResult::Real; }

}  // namespace

std::optional<RegionVerdicts::Outcome> RegionStore::kept(const std::string& text) const {
  auto json = folder_.find(subject(text));
  std::string verdict = json ? json->value("verdict", "") : "";
  if (verdict != "exact" && verdict != "real") {
    return std::nullopt;
  }
  return Outcome{verdict == "exact" ? ProofResult::Exact : ProofResult::Real, ""};
}

const RegionVerdicts::Outcome* RegionStore::find(const std::string& text) {
  const Outcome* known = RegionVerdicts::find(text);
  auto from_file = known == nullptr && !again_ && !queries_ ? kept(text) : std::nullopt;
  return from_file ? &RegionVerdicts::keep(text, std::move(*from_file), true) : known;
}

// What was tried in vain is tried again in the next run.
const RegionVerdicts::Outcome& RegionStore::keep(const std::string& text, Outcome outcome, bool lasting) {
  std::optional<Outcome> before = again_ && lasting ? kept(text) : std::nullopt;
  std::lock_guard lock(troubled_);
  if (before && before->result != outcome.result) {
    troubles_.error_at("--store", fmt::format("a region that was kept as {} is not proven so:\n{}",
                                              before->result == ProofResult::Exact ? "exact" : "real", text));
  }
  if (lasting && is_proven(outcome.result)) {
    folder_.keep(subject(text), {{"verdict", outcome.result == ProofResult::Exact ? "exact" : "real"}}, troubles_);
  }
  return RegionVerdicts::keep(text, std::move(outcome), lasting);
}

}  // namespace vouch
