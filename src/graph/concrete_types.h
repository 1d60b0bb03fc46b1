// Types whose extents are numbers.
#pragma once

#include <algorithm>
#include <vector>

#include "graph/type.h"

namespace vouch {

// Whether each, a tensor, has constant extents that fit 64 bits.
inline bool are_concrete(const std::vector<Type>& types) {
  return std::all_of(types.begin(), types.end(), [](Type type) { return type.concrete_extents().has_value(); });
}

}  // namespace vouch
