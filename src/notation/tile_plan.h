// Which sums can be added up in vectors: tiles of some rows (an axis whose steps read the same vector) by some lanes (the last
// axis, whose neighbours lie side by side in memory).
//
// A tile reads its vectors from a frame, a copy of the box of the tensor that it needs, that is 0 outside of the tensor.
// Bounds and conditions that name the lanes and only keep such a read inside of its tensor are dropped: the product with a 0
// adds nothing, provided that the other factors are finite, which the text tests. Each element still adds up its terms in the
// order of plain loops.
#pragma once

#include <optional>

#include "notation/tk_kernel.h"

namespace vouch {

constexpr std::int64_t kVectorBytes = 32;

// A read whose last subscript steps along with the lanes.
struct VectorRead {
  Term read;
  bool packed = false;               // else read where it is
  std::vector<Term> begins;          // of its frame; the lanes' axis stands for the tile's first lane
  std::vector<std::int64_t> counts;  // of its frame; of the last axis, for one lane
};

struct TileSummand {
  std::vector<TkLoop> loops;      // bounds without the lanes
  std::vector<Term> conditions;   // without the lanes
  std::vector<VectorRead> reads;  // different ones
};

struct TilePlan {
  std::size_t rows_axis = 0;  // the last axis: there are no rows
  std::int64_t rows = 1;      // of a tile
  std::int64_t block = 1;     // rows for which a frame is used
  std::int64_t vectors = 1;   // of a row of a tile
  std::int64_t lanes = 1;     // of a vector
  bool frames_only = true;    // else lanes that fill no tile are left to plain loops
  std::vector<TileSummand> summands;
  std::vector<Symbol> finite;  // tensors that must be finite

  std::int64_t width() const { return vectors * lanes; }
};

// Nothing where the last axis is short, is not read side by side, or takes part in other conditions.
std::optional<TilePlan> plan_tiles(const TkKernel& kernel, const TkStatement& statement);

// The coefficient of an index in a term that is linear in it; nothing if it is inside of an atom.
std::optional<Integer> coefficient_of(Term term, Symbol name);
bool names_index(Term term, Symbol name);

}  // namespace vouch
