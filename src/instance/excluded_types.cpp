#include "instance/excluded_types.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace vouch {

ExcludedTypes::Types ExcludedTypes::types_of(const Instance& instance) {
  Types out;
  for (const InputTensor& input : instance.inputs) {
    out.emplace_back(input.pattern, input.type.dtype());
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// Wherever both have a type.
bool ExcludedTypes::agree(const Types& a, const Types& b) {
  return std::all_of(a.begin(), a.end(), [&](const auto& input) {
    return std::all_of(b.begin(), b.end(),
                       [&](const auto& other) { return other.first != input.first || other.second == input.second; });
  });
}

bool ExcludedTypes::exclude(const Instance& instance) {
  Types types = types_of(instance);
  if (std::any_of(proven_.begin(), proven_.end(), [&](const Types& proven) { return agree(proven, types); })) {
    return false;
  }
  if (std::none_of(excluded_.begin(), excluded_.end(), [&](const auto& known) { return known.first == types; })) {
    excluded_.emplace_back(std::move(types), instance);
  }
  return true;
}

std::optional<Instance> ExcludedTypes::prove(const Instance& instance) {
  Types types = types_of(instance);
  if (!proven_.insert(types).second) {
    return std::nullopt;
  }
  auto at = std::find_if(excluded_.begin(), excluded_.end(), [&](const auto& known) { return agree(known.first, types); });
  return at == excluded_.end() ? std::nullopt : std::optional(at->second);
}

std::string ExcludedTypes::text() const {
  std::vector<std::string> reasons;
  for (const auto& [types, instance] : excluded_) {
    if (std::find(reasons.begin(), reasons.end(), instance.target_error) == reasons.end()) {
      reasons.push_back(instance.target_error);
    }
  }
  constexpr std::size_t kMostShown = 2;
  bool more = reasons.size() > kMostShown;
  reasons.resize(std::min(reasons.size(), kMostShown));
  return fmt::format("{}{}", fmt::join(reasons, "; "), more ? "; …" : "");
}

}  // namespace vouch
