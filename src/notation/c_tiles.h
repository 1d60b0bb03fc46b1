// Sums as C in tiles of vectors; see tile_plan.h. Vector types are an extension of gcc and clang: the text is to stand
// under VOUCH_VECTORS, beside plain loops that do the same.
#pragma once

#include <string>

#include "notation/c_terms.h"
#include "notation/tile_plan.h"

namespace vouch {

// Types and functions that tiles use.
std::string tile_declarations(const std::string& dtype);

// A block that sets `vouch_done` to 1 when it has stored every element up to `tiled_lanes` of the last axis, and that
// leaves it 0 when factors are not finite or there is no memory.
std::string print_tiles(const TkKernel& kernel, const TkStatement& statement, const TilePlan& plan, const CTerms& terms);

std::int64_t tiled_lanes(const TkKernel& kernel, const TkStatement& statement, const TilePlan& plan);

}  // namespace vouch
