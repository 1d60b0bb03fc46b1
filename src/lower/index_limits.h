// Sizes that must stay below 2^63 for the index arithmetic of a flat program to be exact. Mirrors `fcomm_limits` of
// coq/imp/Int64Limits.v.
#pragma once

#include <vector>

#include "array/program.h"
#include "imp/flat.h"

namespace vouch::array {

// Those from which, by the facts, all others follow; numbers below 2^63 are left out. Coq checks that nothing is missing
// (`limits_among` in coq/certify/Witness.v).
std::vector<Size> index_limits(const std::vector<SizeFact>& facts, const Flat& flat);

}  // namespace vouch::array
