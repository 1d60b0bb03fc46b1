#include "certify/index_named.h"

#include <algorithm>
#include <functional>

#include "certify/index_lowering.h"
#include "certify/index_product.h"
#include "certify/index_tile.h"

namespace vouch {
namespace {

using array::LoopKind;
using array::Size;
using array::SizeKind;
using array::SizePart;

// A part of an extent that is a number or has a name.
Size part_of(SizePart part, const Size& n, const Integer& by, const Integer& base = 1) {
  if (n->kind == SizeKind::Var) {
    return size_part(part, n->var, by, base);
  }
  Integer value = array::size_value(size_part(part, 0, by, base), {n->value});
  return array::size_const(value);
}

Size times(const Integer& by, const Size& n) {
  return n->kind == SizeKind::Const ? array::size_const(by * n->value) : size_mul(array::size_const(by), n);
}

IndexPlan node(IndexPlanKind kind, std::vector<IndexPlan> parts) {
  return {kind, LoopKind::Seq, array::size_const(0), 0, 0, 0, std::move(parts)};
}

IndexPlan move_second(IndexPlan rest) {
  IndexPlan out = node(IndexPlanKind::Move, {std::move(rest)});
  out.inner = 1;
  return out;
}

IndexPlan each(const Size& extent, LoopKind loop, IndexPlan rest) {
  return {IndexPlanKind::Each, loop, extent, 0, 0, 0, {std::move(rest)}};
}

IndexPlan in_blocks(const Size& count, const Integer& width, LoopKind loop, IndexPlan rest) {
  IndexPlan out = node(IndexPlanKind::Blocks, {each(count, loop, std::move(rest))});
  out.named_count = count;
  out.width = width;
  return out;
}

// The first axis in two parts, of which numbers may leave one empty.
IndexPlan in_parts(const Size& first, const IndexPlan& most, const Size& second, const IndexPlan& rest) {
  if (is_const(second, 0) || is_const(first, 0)) {
    return is_const(second, 0) ? most : rest;
  }
  IndexPlan out = node(IndexPlanKind::Split, {most, rest});
  out.named_count = first;
  out.named_width = second;
  return out;
}

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
    IndexPlan out = move_second(panels(shared));
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
    IndexPlan last =
        node(IndexPlanKind::Over, {in_blocks(begun, vector, LoopKind::Seq, move_second(rows(2 * target_.rows, shared)))});
    last.named_width = times(vector, begun);
    IndexPlan rest =
        in_parts(times(vector, whole), in_blocks(whole, vector, LoopKind::Seq, move_second(rows(2 * target_.rows, shared))),
                 part_of(SizePart::Remainder, lanes_, vector), last);
    return in_parts(times(target_.lanes, full), in_blocks(full, target_.lanes, loop, move_second(rows(target_.rows, true))),
                    part_of(SizePart::Remainder, lanes_, target_.lanes), rest);
  }

  // Rows, then the lanes of a tile are left: full tiles, then row by row.
  IndexPlan rows(long height, bool shared) const {
    Size full = part_of(SizePart::Quotient, rows_, height);
    Size rest = part_of(SizePart::Remainder, rows_, height);
    return in_parts(times(height, full), in_blocks(full, height, shared ? LoopKind::Seq : LoopKind::Par, IndexPlan()), rest,
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

bool moves(const IndexBody& read, unsigned variable) {
  return std::any_of(read.at.begin(), read.at.end(), [&](const IndexTerm& t) { return uses(t, variable); });
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
