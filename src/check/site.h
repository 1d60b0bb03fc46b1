// Sites: the element types and sizes of a rule's inputs where it is to fire, and what is proven of them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "check/instance.h"

namespace vouch {

enum class Verdict : std::uint8_t { SoundExact, SoundReal, Unsound, IllTyped, Vacuous, Unknown };

// The inputs' element types and sizes, by pattern and branch; `*` is any size of at least 1:
// `0:float32[*, *, 3];2:int64[2];3.1:float32[*];`.
// A branch that stands for every one (of a proof for any number of them) is written `n`: `3.n:float32[*];`.
using SiteKey = std::string;
inline constexpr std::int64_t kAnyBranch = -1;
struct SiteInput {
  PatternId pattern = kNone;
  std::optional<std::int64_t> branch;
  Type type;
};
SiteKey site_key(const std::vector<SiteInput>& inputs);
// Is the site (sizes as numbers, or `*`) one of those that the key of an instance speaks of?
bool covers(const SiteKey& of_instances, const SiteKey& site);

SiteKey site_key(const Instance& instance);

// What is proven at a site: the weakest verdict of all keys that cover it; nothing if none does.
std::optional<Verdict> verdict_at(const std::map<SiteKey, Verdict>& sites, const SiteKey& site);

}  // namespace vouch
