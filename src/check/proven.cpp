#include "check/proven.h"

#include <fmt/format.h>

#include <sstream>

namespace vouch {

const ProvenScope& ProvenRules::scope(const Rule& rule) {
  auto found = by_hash_.find(rule.content_hash);
  if (found == by_hash_.end()) {
    CheckOptions options;
    RuleVerdict verdict = check_rule(rule, options);
    std::string reason = verdict.reason.substr(0, verdict.reason.find('\n'));
    found = by_hash_.emplace(rule.content_hash, ProvenScope{verdict.verdict, verdict.max_rank, reason}).first;
  }
  return found->second;
}

std::optional<std::string> ProvenRules::why_not(const Rule& rule, std::span<const Type> inputs) {
  const ProvenScope& proven = scope(rule);
  if (!is_sound(proven.verdict)) {
    return fmt::format("{}{}{}", verdict_name(proven.verdict), proven.reason.empty() ? "" : ": ", proven.reason);
  }
  for (Type type : inputs) {
    if (!type.is_tensor()) {
      return "an input is a tuple: proven for tensors only";
    }
    if (type.rank() > proven.max_rank) {
      return fmt::format("proven for ranks up to {}, an input has rank {}", proven.max_rank, type.rank());
    }
    for (Term extent : type.extents()) {
      if (const_int(extent) == 0) {
        return "proven for inputs that are not empty";
      }
    }
  }
  return std::nullopt;
}

std::string ProvenRules::text() const {
  std::string out = fmt::format("verdicts {}\n", checker_version());
  for (const auto& [hash, scope] : by_hash_) {
    out += fmt::format("{} {} {} {}\n", hash, static_cast<int>(scope.verdict), scope.max_rank, scope.reason);
  }
  return out;
}

void ProvenRules::read(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != fmt::format("verdicts {}", checker_version())) {
    return;
  }
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string hash;
    int verdict = -1;
    std::uint32_t rank = 0;
    constexpr int kLast = static_cast<int>(Verdict::Unknown);
    if (words >> hash >> verdict >> rank && verdict >= 0 && verdict <= kLast) {
      std::string reason;
      std::getline(words >> std::ws, reason);
      by_hash_.emplace(hash, ProvenScope{static_cast<Verdict>(verdict), rank, reason});
    }
  }
}

}  // namespace vouch
