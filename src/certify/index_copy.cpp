#include "certify/index_copy.h"

#include <algorithm>

#include "certify/index_parts.h"

namespace vouch {
namespace {

using array::LoopKind;

constexpr long kLine = 16;              // floats in a line of a cache
constexpr long kMostSideBySide = 64;    // read of one lane before the next
constexpr long kMostWritten = 1 << 12;  // floats that stay near until all lanes have them
constexpr long kLeastGain = 4;          // fewer in a line are as well fetched again

// The copy's axes just before its lanes that are the input's last ones, in their order: what they hold lies side by side there.
struct SideBySide {
  std::size_t first = 0;
  Integer floats = 1;
  Integer cut = 1;  // positions, side by side, of the axis before them
};

bool continues(const IndexCopy& copy, std::size_t at, std::size_t axis) {
  return axis > copy.form.back().axis && copy.form[at].kind == IndexAxisKind::Whole && copy.form[at].axis == axis;
}

SideBySide side_by_side(const IndexCopy& copy, const std::vector<array::Size>& extents) {
  SideBySide out{extents.size() - 1};
  std::size_t axis = copy.extents.size();
  while (out.first > 0 && continues(copy, out.first - 1, axis - 1) &&
         out.floats * extents[out.first - 1]->value <= kMostSideBySide) {
    out.floats *= extents[--out.first]->value;
    --axis;
  }
  if (out.first > 0 && 2 * out.floats < kLine && continues(copy, out.first - 1, axis - 1)) {
    for (long cut = 2; cut * out.floats <= kLine; ++cut) {
      out.cut = extents[out.first - 1]->value % cut == 0 ? Integer(cut) : out.cut;
    }
  }
  return out;
}

}  // namespace

std::optional<IndexPlan> plan_copy(const IndexCopy& copy, const std::vector<array::Size>& extents) {
  bool numbers =
      std::all_of(extents.begin(), extents.end(), [](const array::Size& n) { return n->kind == array::SizeKind::Const; });
  if (!numbers || copy.form.back().kind == IndexAxisKind::Block) {
    return std::nullopt;
  }
  SideBySide read = side_by_side(copy, extents);
  const array::Size& lanes = extents.back();
  Integer of_lane = read.floats * read.cut;
  if (of_lane < kLeastGain || of_lane * lanes->value > kMostWritten) {
    return std::nullopt;
  }
  IndexPlan plan;
  for (std::size_t axis = extents.size() - 1; axis-- > read.first;) {
    plan = each(extents[axis], LoopKind::Seq, std::move(plan));
  }
  auto inside = static_cast<unsigned>(extents.size() - 1 - read.first);
  auto outer = [&](std::size_t count) {
    return std::vector(extents.begin(), extents.begin() + static_cast<std::ptrdiff_t>(count));
  };
  if (read.cut == 1) {
    return each_of(outer(read.first), moved_first(inside, each(lanes, LoopKind::Seq, std::move(plan))), LoopKind::Par);
  }
  plan = each(lanes, LoopKind::Seq, each(array::size_const(read.cut), LoopKind::Seq, std::move(plan)));
  array::Size blocks = array::size_const(extents[read.first - 1]->value / read.cut);
  return each_of(outer(read.first - 1), in_blocks(blocks, read.cut, LoopKind::Seq, moved_first(inside + 1, std::move(plan))),
                 LoopKind::Par);
}

}  // namespace vouch
