// Tiles of lanes: several neighbouring elements of the output are accumulated at once. Mirrors coq/index/Tile.v, definition
// by definition; why that is right is proven there.
#pragma once

#include "array/typing.h"
#include "certify/index_standins.h"

namespace vouch {

// Extents of a tile, the innermost first; the stand-ins refer to the positions in it, then to the loops around. Of the loops
// of its sums the innermost are unrolled, as many as said.
struct Tile {
  std::vector<array::Size> lanes;
  Standins standins;
  unsigned unrolled = 0;
};

// Those extents, the last first.
std::vector<array::Size> outside_in(const std::vector<array::Size>& lanes);
// Under one more loop.
array::IndexContext inside(array::IndexContext context, const array::Size& n);

// The sum of the loops from `from` on, the tile as accumulator, which begins as `start`.
array::Exp tile_fold(array::Place place, const array::IndexContext& context, const Tile& tile, unsigned depth,
                     const IndexSummand& s, std::size_t from, const array::Exp& start);
// The only summand that has loops, if there is one.
const IndexSummand* only_looped(const std::vector<IndexSummand>& summands);
// Whole elements.
array::Exp tile_of(const array::IndexContext& context, const Tile& tile, unsigned depth,
                   const std::vector<IndexSummand>& summands);

}  // namespace vouch
