#include "check/site.h"

#include <fmt/format.h>

#include <algorithm>

namespace vouch {

SiteKey site_key(const std::vector<SiteInput>& inputs) {
  std::vector<std::string> parts;
  for (const SiteInput& input : inputs) {
    std::string part = fmt::format("{}", input.pattern);
    part += !input.branch ? ":" : *input.branch == kAnyBranch ? ".n:" : fmt::format(".{}:", *input.branch);
    if (!input.type.is_tensor()) {
      parts.push_back(part + "tuple;");
      continue;
    }
    part += fmt::format("{}[", dtype_name(input.type.dtype()));
    for (std::size_t axis = 0; axis < input.type.rank(); ++axis) {
      auto number = const_int(input.type.extents()[axis]);
      part += (axis == 0 ? "" : ", ") + (number ? fmt::format("{}", *number) : std::string("*"));
    }
    parts.push_back(part + "];");
  }
  std::sort(parts.begin(), parts.end());
  std::string key;
  for (const std::string& part : parts) {
    key += part;
  }
  return key;
}

SiteKey site_key(const Instance& instance) {
  std::vector<SiteInput> inputs;
  for (const InputTensor& input : instance.inputs) {
    if (!input.again) {
      inputs.push_back({input.pattern, input.family ? std::optional(kAnyBranch) : input.branch, input.type});
    }
  }
  return site_key(inputs);
}

bool covers(const SiteKey& of_instances, const SiteKey& site) {
  std::size_t at = 0;
  for (char expected : of_instances) {
    if (expected != '*' || (at < site.size() && site[at] == '*')) {
      if (at == site.size() || site[at++] != expected) {
        return false;
      }
      continue;
    }
    std::size_t digits = 0;
    while (at + digits < site.size() && site[at + digits] >= '0' && site[at + digits] <= '9') {
      ++digits;
    }
    if (digits == 0 || site.substr(at, digits) == "0") {
      return false;
    }
    at += digits;
  }
  return at == site.size();
}

std::optional<Verdict> verdict_at(const std::map<SiteKey, Verdict>& sites, const SiteKey& site) {
  std::optional<Verdict> weakest;
  for (const auto& [key, kind] : sites) {
    if (covers(key, site)) {
      weakest = std::max(weakest.value_or(kind), kind);
    }
  }
  return weakest;
}

}  // namespace vouch
