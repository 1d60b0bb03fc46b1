#include "certify/index_panels.h"

#include <algorithm>

#include "certify/index_left.h"

namespace vouch {

using array::LoopKind;

namespace {

constexpr long kFewTiles = 4;  // one above the other: a copy for so many pays

class PanelPlanner {
 public:
  PanelPlanner(const Axes& axes, const Product& product, const TileTarget& target)
      : axes_(axes), product_(product), target_(target) {}

  IndexPlan plan() const {
    return along_outside(axes_, product_, [this](const Left& left, bool shared) { return panels(left, shared); });
  }

 private:
  Label lanes(Part part = Part::Whole) const { return {product_.lanes, part}; }
  Label rows(Part part = Part::Whole) const { return {product_.rows, part}; }

  // Panels of several tiles, a panel of the tiles that are left, then what fills no tile.
  IndexPlan panels(const Left& left, bool shared) const {
    Integer wide = Integer(target_.panel) * target_.lanes;
    const Integer& extent = left.axes[0].extent;
    auto full = [&](const Left& l) { return panel(l, wide, shared); };
    auto tail = [&](const Left& l) { return panel(l, l.axes[0].extent, shared); };
    return split(left, extent - extent % wide, full, [&](const Left& l) {
      Integer rest = l.axes[0].extent;
      return split(l, rest - rest % target_.lanes, tail, tail);
    });
  }

  IndexPlan panel(const Left& left, const Integer& width, bool shared) const {
    bool share = !shared && left.axes[0].extent / width >= kFewThreads;
    Rest rest = [&](const Left& l) { return row_parts(l, width, shared || share); };
    Rest one = [&](const Left& l) { return over_full(l, [&](const Left& m) { return copied(m, rest); }); };
    Rest tiles = [&](const Left& l) {
      return width <= target_.lanes ? one(l) : blocks(l, target_.lanes, lanes(Part::Block), one);
    };
    return blocks(left, width, lanes(Part::Panel),
                  [&](const Left& l) { return each(l, share ? LoopKind::Par : LoopKind::Seq, tiles); });
  }

  // A tile that fills no vectors has some lanes more.
  IndexPlan over_full(Left left, const Rest& rest) const {
    std::size_t place = left.place(lanes()).value();
    Integer& extent = left.axes[place].extent;
    Integer full = (extent + target_.vector - 1) / target_.vector * target_.vector;
    if (full == extent) {
      return rest(left);
    }
    extent = full;
    return plan_node(IndexPlanKind::Over, 0, full, static_cast<unsigned>(place), {rest(left)});
  }

  // In a copy of the panel: tile by tile, in each term by term, lane by lane.
  IndexPlan copied(const Left& left, const Rest& rest) const {
    auto loops = static_cast<unsigned>(axes_.loops().size());
    std::vector<unsigned> over;
    auto along = [&](const Label& label) {
      if (auto place = left.place(label)) {
        over.push_back(loops + static_cast<unsigned>(left.axes.size() - 1 - *place));
      }
    };
    along(lanes(Part::Block));
    for (unsigned v = loops; v-- > 0;) {
      over.push_back(v);
    }
    along(lanes());
    IndexPlan out = plan_node(IndexPlanKind::Tab, 0, 0, product_.along_lanes->tensor, {rest(left)});
    out.over = over;
    return out;
  }

  // Groups of tiles' rows, then the tiles' rows that are left, then what fills no tile.
  IndexPlan row_parts(const Left& left, const Integer& width, bool shared) const {
    return front(left, rows(), [&](const Left& l) {
      const Integer& extent = l.axes[0].extent;
      Integer height = tile_height(extent);
      Integer count = extent / height;
      Integer group = group_size(count, height, width);
      auto of = [&](const Integer& high, const Integer& several) {
        return [this, high, several, width, shared](const Left& m) { return walk(m, high, several, width, shared); };
      };
      return split(l, count / group * group * height, of(height, group), [&](const Left& m) {
        Integer rest = m.axes[0].extent;
        return split(m, rest - rest % height, of(height, rest / height), of(rest % height, 1));
      });
    });
  }

  // A divisor of the extent, if there is one that is nearly as large as may be.
  Integer tile_height(const Integer& extent) const {
    for (long height = target_.rows; 6 * height >= 5 * target_.rows; --height) {
      if (extent % height == 0) {
        return height;
      }
    }
    return std::min(extent, Integer(target_.rows));
  }

  // Of tiles, so that what is read along their rows stays near twice over, and few are left.
  Integer group_size(const Integer& count, const Integer& height, const Integer& width) const {
    Integer most = std::max(Integer(1), Integer(2 * target_.near / (height * block_terms(width) * product_.per_term)));
    if (count <= most) {
      return count;
    }
    Integer groups = (count + most - 1) / most;
    Integer best = count / groups;
    for (Integer size = best; 2 * size > best && size > 0; --size) {
      if (count % size == 0) {
        return size;
      }
    }
    return best;
  }

  // Of the sum, so that a panel of it stays near.
  Integer block_terms(const Integer& width) const {
    Integer most = std::max(Integer(1), Integer(target_.near / (width * product_.per_term)));
    if (!product_.alone || product_.terms <= most) {
      return product_.terms;
    }
    Integer count = (product_.terms + most - 1) / most;
    return (product_.terms + count - 1) / count;
  }

  // `several` tiles of that height at a time.
  IndexPlan walk(const Left& left, const Integer& height, const Integer& several, const Integer& width, bool shared) const {
    std::vector<Label> order;
    for (std::size_t axis : product_.inside) {
      order.push_back({axis, Part::Whole});
    }
    order.insert(order.end(), {rows(Part::Panel), lanes(Part::Block), rows(Part::Block), rows(), lanes()});
    Rest in_order = [&](const Left& l) {
      return in_front(l, order, [&](const Left& m) { return cut(m, width, [&](const Left& n) { return loops(n, shared); }); });
    };
    return blocks(left, height, rows(Part::Block),
                  [&](const Left& l) { return blocks(l, several, rows(Part::Panel), in_order); });
  }

  // The sum in blocks of terms; the first begins at zero, the others go on.
  IndexPlan cut(const Left& left, const Integer& width, const Rest& rest) const {
    Integer terms = block_terms(width);
    if (terms == product_.terms) {
      return rest(left);
    }
    auto part = [&](const Integer& count, const Integer& of) {
      return plan_node(IndexPlanKind::Cut, count, of, 0, {rest(left)});
    };
    Integer more = product_.terms - terms;
    Integer last = more % terms;
    IndexPlan others = last == 0 ? part(more / terms, terms)
                       : last == more
                           ? part(1, last)
                           : plan_node(IndexPlanKind::Then, more - last, last, 0, {part(more / terms, terms), part(1, last)});
    return plan_node(IndexPlanKind::Then, terms, more, 0, {rest(left), others});
  }

  // What comes before the tile.
  IndexPlan loops(const Left& left, bool shared) const {
    if (left.axes[0].label == rows()) {
      return {};
    }
    bool share = !shared && left.axes[0].extent >= kFewThreads;
    return each(left, share ? LoopKind::Par : LoopKind::Seq, [&](const Left& l) { return loops(l, shared || share); });
  }

  const Axes& axes_;
  const Product& product_;
  const TileTarget& target_;
};

}  // namespace

bool worth_panels(const Axes& axes, const Product& product, const TileTarget& target) {
  Integer wide = Integer(target.panel) * target.lanes;
  return axes.extent(product.lanes) >= kFewThreads * wide && axes.extent(product.rows) >= kFewTiles * Integer(target.rows) &&
         (product.alone || product.terms * product.per_term * target.lanes <= target.near);
}

IndexPlan plan_panels(const Axes& axes, const Product& product, const TileTarget& target) {
  return PanelPlanner(axes, product, target).plan();
}

}  // namespace vouch
