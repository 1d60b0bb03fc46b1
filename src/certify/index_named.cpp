#include "certify/index_named.h"

#include <algorithm>
#include <functional>

#include "certify/index_left.h"
#include "certify/index_lowering.h"
#include "certify/index_parts.h"
#include "certify/index_product.h"
#include "certify/index_tile.h"

namespace vouch {
namespace {

using array::LoopKind;
using array::Size;
using array::SizeKind;
using array::SizePart;

class NamedPlanner {
 public:
  NamedPlanner(const IndexStatement& output, const TileTarget& target)
      : extents_(output.extents),
        lanes_(output.extents.back()),
        rows_(output.extents[output.extents.size() - 2]),
        target_(target) {}

  // The axes outside of rows and lanes one by one, the first of them shared among threads.
  IndexPlan plan() const {
    bool shared = extents_.size() > 2;
    IndexPlan out = moved_first(1, panels(shared));
    for (std::size_t axis = extents_.size() - 2; axis-- > 0;) {
      out = each(extents_[axis], axis == 0 ? LoopKind::Par : LoopKind::Seq, std::move(out));
    }
    return out;
  }

 private:
  // Lanes, then rows are left: full tiles, vectors that fill none, and a vector that is begun.
  IndexPlan panels(bool shared) const {
    Integer vector = target_.vector;
    Integer vectors = target_.lanes / target_.vector;
    Size full = part_of(SizePart::Quotient, lanes_, target_.lanes);
    Size whole = part_of(SizePart::Digit, lanes_, vector, vectors);
    Size begun = part_of(SizePart::Started, lanes_, vector);
    LoopKind loop = shared ? LoopKind::Seq : LoopKind::Par;
    IndexPlan last = plan_node(IndexPlanKind::Over, 0, 0, 0,
                               {in_blocks(begun, vector, LoopKind::Seq, moved_first(1, rows(2 * target_.rows, shared)))});
    last.named_width = times_of(vector, begun);
    IndexPlan rest =
        in_parts(times_of(vector, whole), in_blocks(whole, vector, LoopKind::Seq, moved_first(1, rows(2 * target_.rows, shared))),
                 part_of(SizePart::Remainder, lanes_, vector), last);
    return in_parts(times_of(target_.lanes, full), in_blocks(full, target_.lanes, loop, moved_first(1, rows(target_.rows, true))),
                    part_of(SizePart::Remainder, lanes_, target_.lanes), rest);
  }

  // Rows, then the lanes of a tile are left: full tiles, then row by row.
  IndexPlan rows(long height, bool shared) const {
    Size full = part_of(SizePart::Quotient, rows_, height);
    Size rest = part_of(SizePart::Remainder, rows_, height);
    return in_parts(times_of(height, full), in_blocks(full, height, shared ? LoopKind::Seq : LoopKind::Par, IndexPlan()), rest,
                    each(rest, LoopKind::Seq, IndexPlan()));
  }

  const std::vector<Size>& extents_;
  const Size& lanes_;
  const Size& rows_;
  const TileTarget& target_;
};

void collect(const IndexBody& b, std::vector<const IndexBody*>& reads, bool& plain) {
  plain = plain && (b.kind == IndexBodyKind::Con || b.kind == IndexBodyKind::Read || b.kind == IndexBodyKind::Op);
  if (b.kind == IndexBodyKind::Read) {
    reads.push_back(&b);
  }
  for (const IndexBody& arg : b.args) {
    collect(arg, reads, plain);
  }
}

bool is_named(const Size& n) { return n->kind != SizeKind::Const; }

// The subscript that is the variable, if no other has it.
std::optional<unsigned> subscript_of(const IndexBody& read, unsigned variable) {
  std::optional<unsigned> out;
  for (unsigned a = 0; a < read.at.size(); ++a) {
    if (uses(read.at[a], variable)) {
      if (out || !is_variable(read.at[a], variable)) {
        return std::nullopt;
      }
      out = a;
    }
  }
  return out;
}

}  // namespace

std::optional<IndexTiling> plan_named(const IndexKernel& kernel, const TileTarget& target) {
  const IndexStatement& output = kernel.output;
  const IndexSummand* sum = only_looped(output.summands);
  std::size_t rank = output.extents.size();
  auto word = [&](std::size_t back) { return array::is_word(output.extents[rank - back]); };
  if (sum == nullptr || sum->condition.kind != IndexCondKind::True || rank < 2 || !word(1) || !word(2) ||
      (std::none_of(output.extents.begin(), output.extents.end(), is_named) &&
       std::none_of(sum->loops.begin(), sum->loops.end(), is_named))) {
    return std::nullopt;
  }
  std::vector<const IndexBody*> reads;
  bool plain = true;
  collect(sum->body, reads, plain);
  auto lane = static_cast<unsigned>(sum->loops.size());
  unsigned row = lane + 1;
  const IndexBody* along_lanes = nullptr;
  bool along_rows = false;
  for (const IndexBody* read : reads) {
    along_rows = along_rows || moves(*read, row);
    if (moves(*read, lane)) {
      if (along_lanes != nullptr || moves(*read, row) || !subscript_of(*read, lane)) {
        return std::nullopt;
      }
      along_lanes = read;
    }
  }
  if (!plain || along_lanes == nullptr || !along_rows || along_lanes->tensor < kernel.locals.size() ||
      std::count_if(reads.begin(), reads.end(), [&](const IndexBody* r) { return r->tensor == along_lanes->tensor; }) != 1) {
    return std::nullopt;
  }
  unsigned moving = *subscript_of(*along_lanes, lane);
  if (!(along_lanes->extents[moving] == output.extents.back())) {
    return std::nullopt;
  }
  return IndexTiling{{in_lanes(*along_lanes, moving, kernel.locals.size(), target.lanes)}, NamedPlanner(output, target).plan()};
}

}  // namespace vouch
