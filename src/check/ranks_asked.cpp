#include "check/ranks_asked.h"

#include <algorithm>

#include "instance/rank_lifting.h"

namespace vouch {

InstanceOptions first_tried(const Rule& rule, const CheckOptions& options) {
  InstanceOptions instances = options.instances;
  instances.most = options.most_instances;
  instances.max_rank = holds_axis_by_axis(rule) ? 1 : std::max(instances.max_rank, rank_spoken_of(rule));
  return instances;
}

// They are counted from the fewest on, so that no proof is made for ranks that there are too many of.
std::optional<InstanceOptions> of_fewer_ranks(const Rule& rule, const InstanceOptions& tried, std::size_t& counted) {
  constexpr std::uint32_t kLeastRank = 2;
  std::uint32_t most = tried.max_rank;
  for (const RankClaim& claim : rule.ranks) {
    most = std::max(most, std::min(claim.to, tried.claimed_rank));
  }
  std::optional<InstanceOptions> out;
  for (std::uint32_t rank = kLeastRank; rank < most; ++rank) {
    InstanceOptions fewer = tried;
    fewer.max_rank = std::min(tried.max_rank, rank);
    fewer.claimed_rank = std::min(tried.claimed_rank, rank);
    const std::size_t count = count_instances(rule, fewer);
    counted += count;
    if (count >= fewer.most) {
      break;
    }
    out = fewer;
  }
  return out;
}

bool has_variadic(const Rule& rule) {
  for (PatternId id = 0; id < rule.patterns.size(); ++id) {
    if (rule.in_source[id] && rule.pattern(id).kind == PatternKind::Variadic) {
      return true;
    }
  }
  return false;
}

std::uint32_t ranks_asked(const Rule& rule, const CheckOptions& options) {
  InstanceOptions instances = first_tried(rule, options);
  if (holds_axis_by_axis(rule)) {
    return options.instances.max_rank;
  }
  // With a variadic a sound rule is proven for any number of branches, at the ranks that are tried first.
  if (has_variadic(rule) || count_instances(rule, instances) < instances.most) {
    return instances.max_rank;
  }
  std::size_t counted = 0;
  auto fewer = of_fewer_ranks(rule, instances, counted);
  return fewer ? fewer->max_rank : instances.max_rank;
}

}  // namespace vouch
