// How many items a list has that an operator's declaration ties to the rank of the first operand.
#pragma once

#include <cstddef>
#include <optional>

#include "graph/op_def.h"

namespace vouch {

inline std::optional<std::size_t> declared_length(AttrLength length, std::size_t rank) {
  std::size_t spatial = rank >= 2 ? rank - 2 : 0;
  switch (length) {
    case AttrLength::Any: return std::nullopt;
    case AttrLength::Spatial: return spatial;
    case AttrLength::SpatialPairs: return 2 * spatial;
    case AttrLength::Rank: return rank;
  }
  return std::nullopt;
}

}  // namespace vouch
