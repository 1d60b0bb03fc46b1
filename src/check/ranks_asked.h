// Which ranks a rule is looked at, of inputs that may have any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "check/check.h"

namespace vouch {

// What is tried first.
InstanceOptions first_tried(const Rule& rule, const CheckOptions& options);

// The most ranks, fewer than these, of which there are not too many instances; how many were counted is added to `counted`.
std::optional<InstanceOptions> of_fewer_ranks(const Rule& rule, const InstanceOptions& tried, std::size_t& counted);

bool has_variadic(const Rule& rule);

// Ranks 0 to this are what theorems about the rule are asked of, if `check_rule` finds it sound: known without a proof.
std::uint32_t ranks_asked(const Rule& rule, const CheckOptions& options);

}  // namespace vouch
