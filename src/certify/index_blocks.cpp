#include "certify/index_blocks.h"

#include <algorithm>

#include "certify/index_left.h"
#include "certify/index_panels.h"
#include "certify/index_tile.h"

namespace vouch {

using array::LoopKind;

namespace {

// Vectors that a processor adds to before the first of them is there: two at once, each four cycles long.
constexpr long kSumsUnderWay = 8;

class ProductPlanner {
 public:
  ProductPlanner(const Axes& axes, const Product& product, const TileTarget& target)
      : axes_(axes), product_(product), target_(target) {
    Integer most = target.rows / axes.extent(product.rows);
    for (; most > 1 && !grouped_; most -= 1) {
      auto found = std::find_if(product.inside.begin(), product.inside.end(),
                                [&](std::size_t axis) { return axes.extent(axis) % most == 0; });
      if (found != product.inside.end()) {
        grouped_ = *found;
        group_ = most;
      }
    }
  }

  IndexPlan plan() const {
    return along_outside(axes_, product_, [this](const Left& left, bool shared) { return panels(left, shared); });
  }

 private:
  Label lanes(Part part = Part::Whole) const { return {product_.lanes, part}; }
  Label rows(Part part = Part::Whole) const { return {product_.rows, part}; }

  // Panels of several tiles, then the tiles that are left, then what fills none.
  IndexPlan panels(const Left& left, bool shared) const {
    const Integer& extent = left.axes[0].extent;
    Integer wide = panel_tiles(extent, shared) * target_.lanes;
    auto of_width = [&](const Integer& width) {
      return [this, width, shared](const Left& l) { return panel(l, width, shared); };
    };
    auto narrow = [&](const Left& l) {
      Integer full = l.axes[0].extent - l.axes[0].extent % target_.lanes;
      return split(l, full, of_width(shared ? full : Integer(target_.lanes)), [&](const Left& m) { return tail(m, shared); });
    };
    return split(left, extent - extent % wide, of_width(wide), narrow);
  }

  // Several, where there is work for all threads all the same: rows are read less often.
  Integer panel_tiles(const Integer& extent, bool shared) const {
    Integer tiles = shared ? target_.panel : 2;
    while (tiles > 1 && extent / (tiles * target_.lanes) < (shared ? 1 : 2 * kFewThreads)) {
      tiles /= 2;
    }
    return tiles;
  }

  IndexPlan panel(const Left& left, const Integer& width, bool shared) const {
    bool share = !shared && left.axes[0].extent / width >= kFewThreads;
    auto one = [&](const Left& l) {
      return width == target_.lanes ? inside(l, 0, width, shared || share)
                                    : blocks(l, target_.lanes, lanes(Part::Block),
                                             [&](const Left& m) { return inside(m, 0, width, shared || share); });
    };
    return blocks(left, width, lanes(Part::Panel),
                  [&](const Left& l) { return each(l, share ? LoopKind::Par : LoopKind::Seq, one); });
  }

  // Fewer lanes than a tile has.
  IndexPlan tail(const Left& left, bool shared) const { return inside(left, 0, left.axes[0].extent, shared); }

  // `width`: of the panel.
  IndexPlan inside(const Left& left, std::size_t k, const Integer& width, bool shared) const {
    if (k < product_.inside.size()) {
      if (product_.inside[k] == grouped_) {
        return front(left, {product_.inside[k], Part::Whole}, [&](const Left& l) {
          return blocks(l, group_, {product_.inside[k], Part::Block},
                        [&](const Left& m) { return inside_each(m, k, width, shared); });
        });
      }
      return front(left, {product_.inside[k], Part::Whole}, [&](const Left& l) { return inside_each(l, k, width, shared); });
    }
    return front(left, rows(), [&](const Left& l) {
      const Integer& extent = l.axes[0].extent;
      TileHeights heights = tile_heights(extent, width);
      return split(
          l, heights.count * heights.first, [&](const Left& m) { return walk(m, heights.first, width, shared); },
          [&](const Left& m) { return walk(m, heights.last, width, shared); });
    });
  }

  // The first axis, one of those inside, then what is inside of it.
  IndexPlan inside_each(const Left& left, std::size_t k, const Integer& width, bool shared) const {
    bool share = !shared && left.axes[0].extent >= kFewThreads;
    return each(left, share ? LoopKind::Par : LoopKind::Seq,
                [&](const Left& l) { return inside(l, k + 1, width, shared || share); });
  }

  // Narrow tiles have more rows.
  Integer tile_rows(const Integer& width) const { return 2 * width <= target_.lanes ? 2 * target_.rows : target_.rows; }

  // One row more, where tiles are fewer and none of them low.
  Integer tile_height(const Integer& extent, const Integer& width) const {
    Integer usual = std::min(extent, tile_rows(width));
    Integer high = target_.most_rows;
    bool fewer = (extent + high - 1) / high < (extent + usual - 1) / usual;
    bool full = extent % high == 0 || extent % high == high - 1;
    return 2 * width > target_.lanes && fewer && full ? high : usual;
  }

  // Tiles of the first height, as many as that, then tiles of the last one. Where what is left over would be so low a tile that
  // a processor waits for its sums, all are of nearly the same height.
  struct TileHeights {
    Integer first, count, last;
  };
  TileHeights tile_heights(const Integer& extent, const Integer& width) const {
    Integer height = tile_height(extent, width);
    Integer left = extent % height;
    if (left == 0 || left * width >= kSumsUnderWay * target_.vector) {
      return {height, extent / height, left};
    }
    Integer tiles = extent / height + 1;
    Integer low = extent / tiles;
    return {low + 1, extent % tiles, low};
  }

  // A tile that fills no vectors: it begins inside of the one before, if there is one and lanes are read where they are; else it
  // goes on over the end.
  IndexPlan whole_vectors(const Left& left) const {
    const Integer& extent = left.axes.back().extent;
    Integer full = (extent + target_.vector - 1) / target_.vector * target_.vector;
    auto last = static_cast<unsigned>(left.axes.size() - 1);
    if (!product_.copies.empty() || axes_.extent(product_.lanes) < full) {
      return plan_node(IndexPlanKind::Over, 0, full, last, {IndexPlan()});
    }
    std::vector<Label> others;
    for (const Left::Axis& axis : left.axes) {
      if (axis.label != lanes()) {
        others.push_back(axis.label);
      }
    }
    return front(left, lanes(), [&](const Left& l) {
      return plan_node(IndexPlanKind::Under, 0, full - extent, 0, {in_front(l, others, [](const Left&) { return IndexPlan(); })});
    });
  }

  // Tiles of that height, block by block of the sum.
  IndexPlan walk(const Left& left, const Integer& height, const Integer& width, bool shared) const {
    return blocks(left, height, rows(Part::Block), [&](const Left& l) {
      bool several =
          std::any_of(l.axes.begin(), l.axes.end(), [&](const Left::Axis& a) { return a.label == lanes(Part::Block); });
      bool narrow = !several && l.axes.back().extent % target_.vector != 0;
      auto tile = [&](const Left& m) { return narrow ? whole_vectors(m) : IndexPlan(); };
      LoopKind loop = !shared && l.axes[0].extent >= kFewThreads ? LoopKind::Par : LoopKind::Seq;
      auto tiles = [&](const Left& m) {
        return each(m, loop, [&](const Left& n) { return several ? each(n, LoopKind::Seq, tile) : tile(n); });
      };
      return in_order(l, [&](const Left& m) { return narrow ? tiles(m) : in_blocks(m, width, tiles); });
    });
  }

  // Blocks of rows, tiles of the panel, then the tile: what is grouped, rows, lanes.
  IndexPlan in_order(const Left& left, const Rest& rest) const {
    std::vector<Label> tile{rows(), lanes()};
    if (grouped_) {
      tile.insert(tile.begin(), {*grouped_, Part::Whole});
    }
    tile.insert(tile.begin(), {rows(Part::Block), lanes(Part::Block)});
    return in_front(left, tile, rest);
  }

  // The sum in blocks of terms, so that what is read along the lanes stays near.
  IndexPlan in_blocks(const Left& left, const Integer& width, const Rest& tiles) const {
    Integer most = std::max(Integer(1), Integer(target_.near / (width * product_.per_term)));
    if (!product_.alone || product_.terms <= most) {
      return tiles(left);
    }
    Integer count = (product_.terms + most - 1) / most;
    Integer terms = (product_.terms + count - 1) / count;
    Integer full = product_.terms / terms;
    Integer rest = product_.terms % terms;
    IndexPlan cut = plan_node(IndexPlanKind::Cut, full, terms, 0, {tiles(left)});
    return rest == 0 ? cut
                     : plan_node(IndexPlanKind::Then, product_.terms - rest, rest, 0,
                                 {cut, plan_node(IndexPlanKind::Cut, 1, rest, 0, {tiles(left)})});
  }

  const Axes& axes_;
  const Product& product_;
  const TileTarget& target_;
  // Where there are fewer rows than a tile has: an axis inside of which several positions are in the tile, too.
  std::optional<std::size_t> grouped_;
  Integer group_ = 1;
};

// Rows and lanes of that product, if each read moves with one of them at most.
std::optional<Product> product_of(const Axes& axes, std::size_t lanes, std::size_t rows, const ProductKernel& of,
                                  const TileTarget& target, const CopyChoice& copies) {
  const IndexKernel& kernel = of.kernel;
  Product out;
  out.lanes = lanes;
  out.rows = rows;
  out.terms = only_looped(kernel.output.summands)->loops[0]->value;
  out.per_term = 1;
  out.alone = kernel.output.summands.size() == 1;
  bool along_lanes = false;
  bool along_rows = false;
  std::vector<bool> needed(axes.count(), false);
  for (const IndexBody* read : axes.reads()) {
    auto lane = axes.stride(*read, lanes);
    auto row = axes.stride(*read, rows);
    bool alone = std::count_if(axes.reads().begin(), axes.reads().end(), [&](auto* r) { return r->tensor == read->tensor; }) == 1;
    if (!lane || !row || (*lane != 0 && *row != 0)) {
      return std::nullopt;
    }
    along_rows = along_rows || *row != 0;
    if (*lane == 0) {
      continue;
    }
    auto moving = axes.follows(*read, lanes);
    auto values = moving ? axes.values(read->at[*moving]) : std::nullopt;
    bool by_itself = values && values->to - values->from == axes.extent(lanes) - 1;  // else lanes lie in two blocks of the copy
    bool in_place = of.merged_axis == lanes;
    bool may_copy = read->tensor >= kernel.locals.size() && copy_pays(*read, kernel.locals.size(), copies, of.work);
    if (along_lanes || !alone || !by_itself || !(in_place ? *lane == 1 : may_copy)) {
      return std::nullopt;
    }
    along_lanes = true;
    out.along_lanes = read;
    if (!in_place) {
      out.copies.push_back(in_lanes(*read, *moving, kernel.locals.size(), target.lanes));
    }
    for (std::size_t axis = 0; axis < axes.count(); ++axis) {
      needed[axis] = axes.stride(*read, axis) != Integer(0);
    }
  }
  for (std::size_t axis = 0; axis < axes.count(); ++axis) {
    if (axis != lanes && axis != rows) {
      (needed[axis] ? out.outside : out.inside).push_back(axis);
    }
  }
  const std::vector<array::Size>& loops = only_looped(kernel.output.summands)->loops;
  for (std::size_t k = 1; k < loops.size(); ++k) {
    out.per_term *= loops[k]->value;
  }
  return along_lanes && along_rows ? std::optional(out) : std::nullopt;
}

}  // namespace

IndexCopy in_lanes(const IndexBody& read, unsigned moving, std::size_t locals, long width) {
  IndexCopy out{read.tensor - static_cast<unsigned>(locals), read.extents, {{moving, IndexAxisKind::Block, 0, 0, width}}};
  for (unsigned a = 0; a < read.extents.size(); ++a) {
    if (a != moving) {
      out.form.push_back({a, IndexAxisKind::Whole, 0, 0, 0});
    }
  }
  out.form.push_back({moving, IndexAxisKind::Lane, 0, 0, width});
  return out;
}

std::optional<IndexTiling> plan_product(const ProductKernel& product, const TileTarget& target, const CopyChoice& copies) {
  Axes axes(product.kernel.output);
  for (std::size_t axis = 0; axis < axes.count(); ++axis) {
    if (axes.inside(axis).from != 0 || axes.inside(axis).to != axes.extent(axis)) {
      return std::nullopt;
    }
  }
  std::optional<Product> best;
  for (std::size_t lanes = axes.count(); lanes-- > 0;) {
    for (std::size_t rows = axes.count(); rows-- > 0;) {
      if (!best && rows != lanes && axes.extent(lanes) >= target.vector && axes.extent(rows) >= 2) {
        best = product_of(axes, lanes, rows, product, target, copies);
      }
    }
  }
  if (!best) {
    return std::nullopt;
  }
  if (copies.place == CopyPlace::Inside && worth_panels(axes, *best, target)) {
    return IndexTiling{{}, plan_panels(axes, *best, target)};
  }
  return IndexTiling{best->copies, ProductPlanner(axes, *best, target).plan()};
}

}  // namespace vouch
