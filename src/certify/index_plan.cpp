#include "certify/index_plan.h"

#include <algorithm>
#include <map>

#include "certify/index_axes.h"
#include "certify/index_blocks.h"
#include "certify/index_copy.h"
#include "certify/index_few.h"
#include "certify/index_finish.h"
#include "certify/index_left.h"
#include "certify/index_merge.h"
#include "certify/index_named.h"
#include "certify/index_product.h"
#include "certify/index_tile.h"
#include "support/fault.h"

namespace vouch {

using array::LoopKind;
using array::Size;

namespace {

// Below that many products a kernel keeps its plain text: it is read, not waited for. Of a library's calls, small ones may be all
// there is.
constexpr long kLeastWork = 1 << 16;
constexpr long kLeastWorkOfCall = 1 << 10;
constexpr long kLeastLanes = 8;
constexpr long kVector = 8;  // floats
constexpr long kLongVector = 16;
constexpr long kGoodRows = 5;    // fewer leave the arithmetic units waiting
constexpr long kWindowRows = 4;  // a vector of what is read serves three of them, where a window is of three rows
constexpr long kLeastWindowRows = 2;
constexpr long kManyWindowRows = 7;     // of 14, where else there were two
constexpr long kMostWindow = 7;         // terms of a loop that is unrolled
constexpr std::size_t kMostTexts = 12;  // of tiles in one kernel: Coq reads long texts slowly

bool constant_sizes(const IndexBody& b) {
  auto constant = [](const Size& n) { return n->kind == array::SizeKind::Const; };
  return std::all_of(b.extents.begin(), b.extents.end(), constant) && std::all_of(b.args.begin(), b.args.end(), constant_sizes);
}

// The number of products, if all sizes are numbers and one summand has loops.
Integer work(const IndexStatement& s) {
  const IndexSummand* looped = only_looped(s.summands);
  auto constant = [](const IndexSummand& r) { return constant_sizes(r.body); };
  if (looped == nullptr || !std::all_of(s.summands.begin(), s.summands.end(), constant)) {
    return 0;
  }
  Integer out = 1;
  for (const std::vector<Size>* sizes : {&s.extents, &looped->loops}) {
    for (const Size& n : *sizes) {
      out *= n->kind == array::SizeKind::Const ? n->value : Integer(0);
    }
  }
  return out;
}

// The width for which the fewest vector operations are expected. Measured on 3x3 convolutions with 12 to 256 channels: wide tiles
// use what is read along the rows more often, and what is left over costs double where it fills no vectors.
Integer lane_width(const Integer& extent, const TileTarget& target) {
  struct Width {
    long lanes;
    long cost;  // of one of its vectors, in quarters
  };
  Integer best = extent;
  std::optional<Integer> least;
  for (Width width : {Width{64, 3}, Width{32, 4}, Width{16, 5}, Width{8, 6}}) {
    if (extent >= width.lanes && width.lanes <= target.lanes) {
      Integer rest = extent % width.lanes;
      Integer cost = extent / width.lanes * (width.lanes / kVector) * width.cost +
                     (rest + kVector - 1) / kVector * (rest % kVector == 0 ? 4 : 8);
      if (!least || cost < *least) {
        least = cost;
        best = width.lanes;
      }
    }
  }
  return best;
}

// One tile for all of the axis, with lanes whose results are not kept: where at most a quarter is lost, and there are not as many
// tiles of lanes that fill vectors. Nought where that does not pay.
Integer one_tile(const Integer& extent, const TileTarget& target) {
  Integer full = (extent + kLongVector - 1) / kLongVector * kLongVector;
  return extent % kLongVector != 0 && full <= target.lanes && 4 * extent >= 3 * full && full > 2 * kLongVector ? full
                                                                                                               : Integer(0);
}

struct Lanes {
  std::size_t axis = 0;
  Integer over = 0;  // so many are computed, and only the axis' own kept
  std::vector<IndexCopy> copies;
  int score = 0;
};

// With zeros around, where the read may leave the tensor; nothing if it is not known how far.
std::optional<std::vector<IndexAxis>> with_border(const Axes& axes, const IndexBody& read) {
  std::vector<IndexAxis> form;
  for (unsigned a = 0; a < read.at.size(); ++a) {
    auto values = axes.values(read.at[a]);
    if (!values) {
      return std::nullopt;
    }
    form.push_back({a, IndexAxisKind::Whole, std::max(Integer(0), Integer(-values->from)),
                    std::max(Integer(0), Integer(values->to - read.extents[a]->value + 1)), 0});
  }
  return form;
}

// The lanes' neighbours side by side: one block of lanes after the other, if blocks are all full.
void bring_together(std::vector<IndexAxis>& form, unsigned moving, const Integer& extent, const Integer& over,
                    const TileTarget& target) {
  IndexAxis axis = form[moving];
  form.erase(form.begin() + moving);
  Integer width = over > 0 ? over : lane_width(extent, target);
  if ((over > 0 || extent % width == 0) && axis.low == 0 && axis.high == 0) {
    form.insert(form.begin(), {moving, IndexAxisKind::Block, 0, 0, width});
    form.push_back({moving, IndexAxisKind::Lane, 0, 0, width});
  } else {
    form.push_back(axis);
  }
}

// Neighbours on this axis share a vector: what they read is one element, or neighbours, perhaps in a copy.
std::optional<Lanes> lanes_on(const Axes& axes, std::size_t axis, std::size_t locals, const CopyChoice& copies,
                              const Integer& work, const TileTarget& target) {
  IndexRange inside = axes.inside(axis);
  bool everywhere = inside.from == 0 && inside.to == axes.extent(axis);
  Integer whole_axis = one_tile(axes.extent(axis), target);
  Lanes out{axis, 0, {}, everywhere ? 4 : 0};
  bool varies = false;
  bool copied =
      everywhere && whole_axis > 0 && std::all_of(axes.reads().begin(), axes.reads().end(), [&](const IndexBody* read) {
        auto stride = axes.stride(*read, axis);
        auto moving = axes.follows(*read, axis);
        return stride == Integer(0) || (stride && *stride > 1 && moving && read->extents[*moving]->value == axes.extent(axis));
      });
  out.over = copied ? whole_axis : Integer(0);
  for (const IndexBody* read : axes.reads()) {
    auto stride = axes.stride(*read, axis);
    varies = varies || stride != Integer(0);
    bool near = stride && *stride >= 0 && *stride <= 1;
    auto form = with_border(axes, *read);
    auto moving = axes.follows(*read, axis);
    bool alone = std::count_if(axes.reads().begin(), axes.reads().end(), [&](auto* r) { return r->tensor == read->tensor; }) == 1;
    bool whole = form && std::all_of(form->begin(), form->end(), [](const IndexAxis& a) { return a.low == 0 && a.high == 0; });
    bool may_copy = form && alone && read->tensor >= locals && copy_pays(*read, locals, copies, work);
    if (near && (whole || !may_copy)) {
      continue;
    }
    if (!may_copy || (!near && !moving)) {
      return std::nullopt;
    }
    if (!near) {
      bring_together(*form, *moving, read->extents[*moving]->value, out.over, target);
    }
    out.copies.push_back({read->tensor - static_cast<unsigned>(locals), read->extents, *form});
    --out.score;
  }
  return varies && inside.to - inside.from >= kLeastLanes ? std::optional(out) : std::nullopt;
}

// The axes of the tile's rows, and how many rows at most: what is read along the lanes serves all of them.
std::map<std::size_t, long> row_axes(const Axes& axes, std::size_t lanes, const TileTarget& target) {
  std::vector<std::size_t> serving;
  for (std::size_t axis = axes.count(); axis-- > 0;) {
    IndexRange inside = axes.inside(axis);
    bool serves = std::any_of(axes.reads().begin(), axes.reads().end(), [&](const IndexBody* read) {
      return axes.stride(*read, lanes) != Integer(0) && axes.stride(*read, axis) == Integer(0);
    });
    if (axis != lanes && serves && inside.to - inside.from >= 2 && serving.size() < 2) {
      serving.push_back(axis);
    }
  }
  std::map<std::size_t, long> out;
  long left = target.rows;
  for (std::size_t axis : serving) {
    IndexRange inside = axes.inside(axis);
    long rows = static_cast<long>(std::min(Integer(left), Integer(inside.to - inside.from)));
    if (rows >= 2) {
      out.emplace(axis, rows);
      left /= rows;
    }
  }
  return out;
}

// Where no axis has rows that read the same, an axis along which a window of few terms moves: what neighbours on it read is the
// same, for other terms, and is loaded once where the loops of the sum are unrolled.
std::optional<std::size_t> window_axis(const Axes& axes, std::size_t lanes) {
  if (std::any_of(axes.loops().begin(), axes.loops().end(), [](const Integer& n) { return n > kMostWindow; })) {
    return std::nullopt;
  }
  std::optional<std::size_t> out;
  for (std::size_t axis = 0; axis < axes.count(); ++axis) {
    IndexRange inside = axes.inside(axis);
    bool slides = std::any_of(axes.reads().begin(), axes.reads().end(), [&](const IndexBody* read) {
      return axes.stride(*read, lanes) != Integer(0) && axes.slides(*read, axis);
    });
    out = axis != lanes && slides && inside.to - inside.from >= kLeastWindowRows ? axis : out;
  }
  return out;
}

// Where axes are split at the ends of what is inside.
enum class Splits : std::uint8_t { Everywhere, OutsideBorders, Nowhere };

class Planner {
 public:
  Planner(const Axes& axes, const Lanes& lanes, std::map<std::size_t, long> rows, Splits splits, const TileTarget& target)
      : axes_(axes), lanes_(lanes.axis), over_(lanes.over), rows_(std::move(rows)), splits_(splits), target_(target) {
    auto window = rows_.empty() && over_ == 0 ? window_axis(axes, lanes_) : std::nullopt;
    if (window) {
      rows_.emplace(*window, kWindowRows);
      unrolled_ = static_cast<unsigned>(axes.loops().size());
      Integer wide = axes.inside(lanes_).to - axes.inside(lanes_).from;
      ends_inside_ = *window < lanes_ && lanes_ + 1 == axes.count() && wide > kVector && wide % kVector != 0;
    }
    while (parallel_ + 1 < axes.count() && !shares_well(parallel_)) {
      ++parallel_;
    }
  }

  // At the border of an axis further outside, the others may be left whole. `kept`: so many axes, which come before, are left to
  // the tile: rows, then lanes that are computed over their end, or from before their beginning.
  IndexPlan plan(std::size_t axis, bool border = false, unsigned kept = 0) const {
    if (axis == axes_.count()) {
      return over_ > 0 && kept > 0 ? plan_node(IndexPlanKind::Over, 0, over_, kept - 1, {IndexPlan()}) : tile();
    }
    if (axis == lanes_ && over_ > 0) {
      return plan(axis + 1, border, kept + 1);
    }
    IndexPlan out = first(axis, border, kept);
    return kept > 0 ? plan_node(IndexPlanKind::Move, 0, 0, kept, {std::move(out)}) : out;
  }

 private:
  IndexPlan tile() const {
    IndexPlan out;
    out.inner = unrolled_;
    return out;
  }

  // The axis, which comes first.
  IndexPlan first(std::size_t axis, bool border, unsigned kept) const {
    const Integer& extent = axes_.extent(axis);
    IndexRange inside = axes_.inside(axis);
    if (border || inside.to == inside.from || splits_ == Splits::Nowhere) {
      return piece(axis, extent, border, kept);
    }
    IndexPlan middle = piece(axis, inside.to - inside.from, false, kept);
    IndexPlan rest = inside.to == extent ? middle
                                         : split(inside.to - inside.from, middle, extent - inside.to,
                                                 piece(axis, extent - inside.to, splits_ != Splits::Everywhere, kept));
    return inside.from == 0
               ? rest
               : split(inside.from, piece(axis, inside.from, splits_ != Splits::Everywhere, kept), extent - inside.from, rest);
  }

  // The loop over the axis has iterations enough for several threads, and most of the positions are in it.
  bool shares_well(std::size_t axis) const {
    auto rows = rows_.find(axis);
    IndexRange inside = axes_.inside(axis);
    Integer extent = inside.to == inside.from ? axes_.extent(axis) : Integer(inside.to - inside.from);
    Integer width = axis == lanes_        ? lane_width(extent, target_)
                    : rows != rows_.end() ? height(extent, rows->second)
                                          : Integer(1);
    return extent / width >= kFewThreads && 8 * (extent - extent % width) >= 7 * extent;
  }

  LoopKind loop(std::size_t axis) const { return axis == parallel_ ? LoopKind::Par : LoopKind::Seq; }

  static IndexPlan split(const Integer& first, const IndexPlan& a, const Integer& second, const IndexPlan& b) {
    return {IndexPlanKind::Split, LoopKind::Seq, array::size_const(0), first, second, 0, {a, b}};
  }

  IndexPlan tiles(std::size_t axis, const Integer& count, const Integer& width, unsigned inner, bool border) const {
    return {IndexPlanKind::Tiles, loop(axis), array::size_const(0), count, width, inner, {plan(axis + 1, border)}};
  }

  IndexPlan piece(std::size_t axis, const Integer& extent, bool border, unsigned kept) const {
    if (ends_inside_ && axis == lanes_) {
      return vectors_from_before(extent);
    }
    if (over_ > 0 || ends_inside_) {
      auto rows = rows_.find(axis);
      return rows == rows_.end() ? each(axis, extent, plan(axis + 1, border, kept))
                                 : rows_of(axis, extent, height(extent, rows->second), border, kept);
    }
    if (axis == lanes_) {
      return unrolled_ > 0 ? vectors(axis, extent, std::min(kLongVector, 2 * target_.vector), border)
                           : blocks(axis, extent, lane_width(extent, target_), 0, border);
    }
    if (auto rows = rows_.find(axis); rows != rows_.end()) {
      return blocks(axis, extent, height(extent, rows->second), lanes_ < axis ? 1 : 0, border);
    }
    return each(axis, extent, plan(axis + 1, border));
  }

  IndexPlan each(std::size_t axis, const Integer& extent, IndexPlan rest) const {
    return {IndexPlanKind::Each, loop(axis), array::size_const(extent), 0, 0, 0, {std::move(rest)}};
  }

  // So many rows at a time are left to the tile.
  IndexPlan rows_of(std::size_t axis, const Integer& extent, const Integer& rows, bool border, unsigned kept) const {
    IndexPlan tile = plan(axis + 1, border, kept + 1);
    if (extent <= rows) {
      return tile;
    }
    IndexPlan most = plan_node(IndexPlanKind::Blocks, extent / rows, rows, 0, {each(axis, extent / rows, tile)});
    Integer rest = extent % rows;
    return rest == 0 ? most : split(extent - rest, most, rest, tile);
  }

  IndexPlan blocks(std::size_t axis, const Integer& extent, const Integer& width, unsigned inner, bool border) const {
    Integer rest = extent % width;
    if (extent <= width) {
      return tiles(axis, 1, extent, inner, border);
    }
    IndexPlan most = tiles(axis, extent / width, width, inner, border);
    return rest == 0 ? most : split(extent - rest, most, rest, tiles(axis, 1, rest, inner, border));
  }

  // Whole vectors, then halves of what is left: measured, six lanes unrolled take longer than four and two.
  IndexPlan vectors(std::size_t axis, const Integer& extent, long width, bool border) const {
    Integer rest = extent % width;
    if (rest == 0) {
      return blocks(axis, extent, width, 0, border);
    }
    return rest == extent ? vectors(axis, extent, width / 2, border)
                          : split(extent - rest, tiles(axis, extent / width, width, 0, border), rest,
                                  vectors(axis, rest, width / 2, border));
  }

  // Whole vectors, then one that begins inside of the last of them; rows are left, too, and come first.
  IndexPlan vectors_from_before(const Integer& extent) const {
    IndexPlan rows_first = plan_node(IndexPlanKind::Move, 0, 0, 1, {tile()});
    Integer wide = std::min(kLongVector, 2 * target_.vector);
    Integer width = extent < wide ? Integer(kVector) : wide;
    Integer full = extent / width;
    Integer rest = extent % width;
    if (full == 0) {
      return rows_first;
    }
    IndexPlan one = plan_node(IndexPlanKind::Each, 0, 0, 0, {rows_first});
    one.extent = array::size_const(full);
    IndexPlan most = plan_node(IndexPlanKind::Blocks, full, width, 0, {one});
    Integer last = rest <= kVector ? Integer(kVector) : wide;
    return rest == 0 ? most : split(extent - rest, most, rest, plan_node(IndexPlanKind::Under, 0, last - rest, 0, {rows_first}));
  }

  // Of the tiles: a divisor, if one is large enough; else what makes the fewest.
  Integer height(const Integer& extent, long most) const {
    bool low = extent % kWindowRows != 0 && extent % (kWindowRows - 1) != 0;
    if (ends_inside_ && low && extent % (2 * kManyWindowRows) == 0 && target_.vector >= kVector) {
      return kManyWindowRows;
    }
    long good = unrolled_ > 0 ? kLeastWindowRows : std::min(most, kGoodRows);
    Integer best = std::min(extent, Integer(most));
    for (long rows = most; rows >= good; --rows) {
      if (extent % rows == 0) {
        return rows;
      }
    }
    return best;
  }

  const Axes& axes_;
  std::size_t lanes_;
  Integer over_;
  std::map<std::size_t, long> rows_;
  Splits splits_;
  const TileTarget& target_;
  unsigned unrolled_ = 0;
  bool ends_inside_ = false;  // the last lanes fill no vector: theirs begins inside of the one before
  std::size_t parallel_ = 0;
};

// How many tiles are written down.
std::size_t texts(const IndexPlan& plan) {
  std::size_t out = plan.kind == IndexPlanKind::Leaf ? 1 : 0;
  for (const IndexPlan& part : plan.parts) {
    out += texts(part);
  }
  return out;
}

// Neighbouring axes as one, where positions of the last alone fill no tiles.
std::optional<IndexTiling> plan_merged(const IndexKernel& kernel, const Integer& products, const CopyChoice& copies,
                                       const TileTarget& target) {
  std::vector<MergedAxes> merged;
  for (auto next = merge_axes(kernel); next && (merged.empty() || next->axis + 1 == merged.back().axis);
       next = merge_axes(merged.back().kernel)) {
    merged.push_back(std::move(*next));
  }
  if (merged.empty() || merged[0].width % target.lanes == 0) {
    return std::nullopt;
  }
  auto tiling = plan_product({merged.back().kernel, products, merged.back().axis}, target, copies);
  for (std::size_t k = merged.size(); tiling && k-- > 0;) {
    tiling->plan = after_merging(merged[k], std::move(tiling->plan));
  }
  return tiling;
}

std::optional<IndexTiling> plan_output(const IndexKernel& kernel, const CopyChoice& copies, const TileTarget& target) {
  bool floats = kernel.computed == array::Element::F32 && kernel.output_element == kernel.computed &&
                std::all_of(kernel.inputs.begin(), kernel.inputs.end(),
                            [&](const array::Parameter& input) { return input.element == kernel.computed; });
  if (!floats) {
    return std::nullopt;  // lanes are counted in floats
  }
  if (auto named = copies.place == CopyPlace::Inside ? plan_named(kernel, target) : std::nullopt) {
    return named;
  }
  Integer products = work(kernel.output);
  if (products < (copies.place == CopyPlace::Before ? kLeastWorkOfCall : kLeastWork)) {
    return std::nullopt;
  }
  if (auto product = plan_merged(kernel, products, copies, target)) {
    return product;
  }
  if (auto product = plan_product({kernel, products}, target, copies)) {
    return product;
  }
  Axes axes(kernel.output);
  std::optional<Lanes> best;
  for (std::size_t axis = 0; axis < axes.count(); ++axis) {
    auto lanes = lanes_on(axes, axis, kernel.locals.size(), copies, products, target);
    if (lanes && (!best || lanes->score >= best->score)) {
      best = lanes;
    }
  }
  if (!best) {
    return plan_few(kernel.output);
  }
  auto rows = row_axes(axes, best->axis, target);
  for (Splits splits : {Splits::Everywhere, Splits::OutsideBorders, Splits::Nowhere}) {
    IndexPlan plan = Planner(axes, *best, rows, splits, target).plan(0);
    if (texts(plan) <= kMostTexts) {
      return IndexTiling{best->copies, plan};
    }
  }
  return std::nullopt;
}

std::optional<IndexTiling> plan_finished(const IndexKernel& kernel, const CopyChoice& copies, const TileTarget& target) {
  if (auto sums = unfinished(kernel)) {
    if (auto tiling = plan_output(*sums, copies, target)) {
      return IndexTiling{tiling->copies, finishing(tiling->plan)};
    }
  }
  return plan_output(kernel, copies, target);
}

}  // namespace

const TileTarget* tile_target(std::string_view name) {
  const TileTarget* found = std::find_if(std::begin(kTileTargets), std::end(kTileTargets),
                                         [&](const TileTarget& target) { return target.name == name; });
  return found == std::end(kTileTargets) ? nullptr : found;
}

TileTarget tiles_for(std::string_view name, bool fused) {
  const TileTarget* found = tile_target(name);
  ensure(found != nullptr, "a recipe names tiles that there are");
  TileTarget target = *found;
  target.most_rows += fused && target.vector == kLongVector ? 1 : 0;
  return target;
}

std::optional<IndexTiling> plan_index(const IndexKernel& kernel, const CopyChoice& copies, const TileTarget& target) {
  auto tiling = plan_finished(kernel, copies, target);
  IndexKernel with_copies = tiling ? packed(kernel, tiling->copies) : kernel;
  for (std::size_t k = 0; tiling && k < tiling->copies.size(); ++k) {
    IndexCopy& copy = tiling->copies[k];
    copy.plan = plan_copy(copy, with_copies.locals[local_of_copy(tiling->copies, k)].extents);
  }
  return tiling;
}

}  // namespace vouch
