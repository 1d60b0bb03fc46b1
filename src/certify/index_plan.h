// How a kernel is made fast: inputs copied in another arrangement, then a plan for the output. Mirrors coq/index/Plan.v and
// Pack.v, definition by definition; why any plan is right is proven there.
#pragma once

#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "certify/index_order.h"

namespace vouch {

// What to do with the first axis that is left, or with the outermost loop of the sum:
//   Leaf    the axes that are left are the tile; the `inner` innermost loops of its sums are unrolled
//   Each    the positions of the axis one by one
//   Tiles   `count` blocks of `width` positions; these are an axis of the tile, with `inner` others further inside
//   Split   the first `count` positions as the first part says, then `width` as the second says
//   Blocks  the axis as two: `count` blocks, `width` positions in each
//   Merge   the axis, of `count` positions, and the next one, of `width`, as one
//   Move    the axis after `inner` others comes first
//   Over    of the axis after `inner` others, `width` positions are computed and only its own kept
//   Under   `width` positions before those of the axis are computed, too, and only its own kept
//   Cut     the sum in `count` blocks of `width` terms, one block after the other for all elements
//   Then    the first `count` terms of the sum as the first part says, then `width` as the second says
//   Tab     a read of tensor `inner` from a copy, made here, over the variables `over`: loops from the innermost outwards, then
//           axes from the last one on
//   Finish  of a whole kernel: the last local as the part says, and what the output does to its elements in the same tiles
// Of an axis whose extent has a name, Split, Blocks, Merge and Over have sizes: parts of it.
enum class IndexPlanKind : std::uint8_t { Leaf, Each, Tiles, Split, Blocks, Merge, Move, Over, Under, Cut, Then, Tab, Finish };
struct IndexPlan {
  IndexPlanKind kind = IndexPlanKind::Leaf;
  array::LoopKind loop = array::LoopKind::Seq;  // Each, Tiles
  array::Size extent;                           // Each
  Integer count;
  Integer width;
  unsigned inner = 0;               // Leaf, Tiles, Move, Over, Tab
  std::vector<IndexPlan> parts;     // Leaf: none; Split, Then: two; else one
  std::vector<unsigned> over = {};  // Tab
  array::Size named_count = {};     // Split, Blocks, Merge: in place of `count`, where there is one
  array::Size named_width = {};     // Split, Over: in place of `width`

  array::Size counted() const { return named_count ? named_count : array::size_const(count); }
  array::Size wide() const { return named_width ? named_width : array::size_const(width); }
};

// The term of the output, with the locals in scope. The plan fits the kernel.
array::Exp lower_tiled(const IndexKernel& kernel, const IndexPlan& plan);

// An axis of a copy: all positions of an axis of the input, with so many before and after that hold zero; which block of
// `width` positions; or where in that block.
enum class IndexAxisKind : std::uint8_t { Whole, Block, Lane };
struct IndexAxis {
  unsigned axis = 0;  // of the input
  IndexAxisKind kind = IndexAxisKind::Whole;
  Integer low;
  Integer high;
  Integer width;
  friend bool operator==(const IndexAxis&, const IndexAxis&) = default;
};

// An input that is copied first.
struct IndexCopy {
  unsigned input = 0;
  std::vector<array::Size> extents;  // of the input
  std::vector<IndexAxis> form;
  std::optional<IndexPlan> plan = {};  // of the copy; else its elements are written one after the other
};

// How a kernel is made fast: sums in another order, copies of inputs, one after the other, then a plan for the output. Where
// the kernel's own locals have plans there are no copies, and the output's plan is no `Finish`.
struct IndexTiling {
  std::vector<IndexCopy> copies;
  IndexPlan plan;
  std::vector<IndexSplit> splits = {};
  std::vector<std::optional<IndexPlan>> locals = {};  // one for each local that is there then, or none at all
};

// The kernel whose elements are computed, bit for bit: the kernel itself, or one that adds in another order.
IndexKernel in_order(const IndexKernel& kernel, const std::optional<IndexTiling>& tiling);
// A local's statement as the output of a kernel, with the locals before it.
IndexKernel up_to_local(const IndexKernel& kernel, std::size_t local);

// The kernel that reads the copies, each a local of its own. Mirrors coq/index/Pack.v.
IndexKernel packed(IndexKernel kernel, const std::vector<IndexCopy>& copies);
// Which local of that kernel is the copy with this number.
inline std::size_t local_of_copy(const std::vector<IndexCopy>& copies, std::size_t copy) { return copies.size() - 1 - copy; }
// The plans of that kernel's first locals, as far as any has one. Mirrors `plans` in coq/index/Locals.v.
std::vector<std::optional<IndexPlan>> plans_of_locals(const IndexTiling& tiling);

// Where inputs may be copied: before the plan begins only, or also inside of it, in memory that the kernel takes.
enum class CopyPlace : std::uint8_t { Before, Inside };
struct CopyChoice {
  CopyPlace place = CopyPlace::Inside;
  std::set<unsigned> ahead = {};  // inputs that are known ahead of time: what is made of them costs no call anything
};

// What tiles of products are made for.
struct TileTarget {
  const char* name;
  long vector;  // floats in one
  long lanes;   // of a tile
  long rows;
  long near;   // floats in the cache of one core
  long panel;  // tiles side by side whose lanes are copied at once
  long most_rows = rows;
};
// Tiles that fit the registers of each; the first is what is meant, where nothing else is said. Tiles of 16
// registers leave some of them free: where one is missing, clang 14 keeps the whole tile in memory, and takes ten times as long.
inline constexpr TileTarget kTileTargets[] = {
    {"avx512", 16, 64, 6, 1 << 17, 4}, {"avx2", 8, 16, 5, 1 << 17, 16}, {"generic", 4, 8, 4, 1 << 17, 32}};

// The one with that name; none, if there is none.
const TileTarget* tile_target(std::string_view name);

// The one with that name, which there is. `fused`: of products that are; no register is kept for one that waits to be added.
TileTarget tiles_for(std::string_view name, bool fused);

// A tiling that makes the kernel's text faster, if one is known.
std::optional<IndexTiling> plan_index(const IndexKernel& kernel, const CopyChoice& copies,
                                      const TileTarget& target = kTileTargets[0]);

}  // namespace vouch
