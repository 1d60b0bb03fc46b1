// The verdict on a rule: refutation and proof over all its instances (SOUNDNESS.md).
//
//   sound (exact)   every instance is proven without any law of arithmetic
//   sound (real)    every instance is proven, some only over the reals
//   unsound         a counterexample, replayed in exact arithmetic
//   ill-typed       the source is legal at the counterexample, the target is not
//   vacuous         no sizes and attributes make the source legal
//   unknown         neither: with the first instance that is not proven, and why
//
// Every verdict speaks of the ranks and element types that `InstanceOptions` enumerates. A variadic rule whose number of
// branches had to be fixed is never `sound`: it is `unknown`, proven for those numbers only.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "check/prove.h"
#include "check/refute.h"

namespace vouch {

// Raised when the meaning of a verdict or the way to it changes: verdicts of other versions are not used again.
inline constexpr int kCheckerVersion = 1;

enum class VerdictKind : std::uint8_t { SoundExact, SoundReal, Unsound, IllTyped, Vacuous, Unknown };
std::string_view verdict_text(VerdictKind kind);
std::optional<VerdictKind> find_verdict(std::string_view text);

// The inputs' element types and sizes, by pattern and branch; `*` is any size of at least 1:
// `0:float32[*, *, 3];2:int64[2];3.1:float32[*];`.
using SiteKey = std::string;
struct SiteInput {
  PatternId pattern = kNone;
  std::optional<std::int64_t> branch;
  Type type;
};
SiteKey site_key(const std::vector<SiteInput>& inputs);
// Is the site (sizes as numbers, or `*`) one of those that the key of an instance speaks of?
bool covers(const SiteKey& of_instances, const SiteKey& site);

struct Verdict {
  VerdictKind kind = VerdictKind::Unknown;
  std::string reason;                            // of Unknown, Vacuous: why
  std::optional<Counterexample> counterexample;  // of Unsound, IllTyped
  std::size_t instances = 0;
  std::size_t exact = 0;    // proven, by algebra
  std::size_t real = 0;
  std::size_t vacuous = 0;
  std::size_t unknown = 0;
  bool fixed_lengths = false;  // proven for some numbers of branches only
  std::size_t queries = 0;
  double slowest_query_ms = 0;
  // The weakest verdict of the instances of each key, Unknown if any of them is not proven. Empty if not all were tried.
  std::map<SiteKey, VerdictKind> sites;
};

struct CheckOptions {
  InstanceOptions instances;
  ProveOptions prove;
  // A first look before proofs; then, if some instance is not proven, the thorough search.
  RefuteOptions quick{.assignments = 2, .draws = 1, .most_instances = 60, .most_compared = 60, .instances = {}};
  RefuteOptions thorough;
  std::size_t most_unknown = 3;  // instances that fail before proofs end
};

// What is proven at a site: the weakest of all keys that cover it; nothing if none does.
std::optional<VerdictKind> verdict_at(const std::map<SiteKey, VerdictKind>& sites, const SiteKey& site);

Verdict check_rule(const Rule& rule, const CheckOptions& options = {});

}  // namespace vouch
