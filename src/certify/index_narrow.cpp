#include "certify/index_narrow.h"

#include <algorithm>

#include "support/fault.h"

namespace vouch {
namespace {

using Lengths = std::vector<Integer>;

IndexPlan step(IndexPlanKind kind, const Integer& count, const Integer& width, std::size_t inner) {
  return {kind, array::LoopKind::Seq, array::size_const(count), count, width, static_cast<unsigned>(inner), {}};
}

// Each around the next, and the last around the rest.
IndexPlan nested(std::vector<IndexPlan> steps, IndexPlan rest) {
  for (std::size_t k = steps.size(); k-- > 0;) {
    steps[k].parts = {std::move(rest)};
    rest = std::move(steps[k]);
  }
  return rest;
}

// Of an axis that is longer, the largest part that leaves nothing over, if it is more than half of what may be.
std::optional<long> part_at(const Integer& extent, long most) {
  for (long width = most; extent > most && 2 * width > most; --width) {
    if (extent % width == 0) {
      return width;
    }
  }
  return std::nullopt;
}

// Narrow tiles have more rows, as the planner's have.
long most_rows(const Integer& lanes, const TileTarget& target) {
  return 2 * lanes <= target.lanes ? 2 * target.rows : target.rows;
}

// How the axes of a tile are cut, where it is the last two axes that are left: rows and lanes. Of each the new extent.
struct TileCut {
  std::optional<long> rows;
  std::optional<long> lanes;
  bool any() const { return rows || lanes; }
};
TileCut cut_for(const Lengths& left, const TileTarget& target) {
  TileCut out;
  if (left.size() >= 2) {
    out.rows = part_at(left[left.size() - 2], most_rows(left.back(), target));
    out.lanes = part_at(left.back(), target.lanes);
  }
  return out;
}

// Steps that make further axes of the tile's, just before it: blocks of rows, then blocks of lanes.
class Cutter {
 public:
  Cutter(const Lengths& left, const TileCut& cut) : left_(left), cut_(cut) {
    for (std::size_t axis = 0; axis < left.size(); ++axis) {
      order_.push_back(axis);
    }
  }

  std::vector<IndexPlan> steps() {
    std::size_t axes = left_.size();
    std::vector<std::size_t> wanted(order_.begin(), order_.end() - 2);
    auto add = [&](const std::optional<long>& width, std::size_t axis, std::size_t block) {
      if (width) {
        bring(axis);
        steps_.push_back(step(IndexPlanKind::Blocks, left_[axis] / *width, *width, 0));
        order_.insert(order_.begin(), block);
        wanted.push_back(block);
      }
    };
    add(cut_.rows, axes - 2, axes);
    add(cut_.lanes, axes - 1, axes + 1);
    wanted.insert(wanted.end(), {axes - 2, axes - 1});
    for (std::size_t k = order_ == wanted ? 0 : wanted.size(); k-- > 0;) {
      bring(wanted[k]);
    }
    return std::move(steps_);
  }

  // The blocks one by one.
  std::vector<IndexPlan> loops() const {
    std::vector<IndexPlan> out;
    if (cut_.rows) {
      out.push_back(step(IndexPlanKind::Each, left_[left_.size() - 2] / *cut_.rows, 0, 0));
    }
    if (cut_.lanes) {
      out.push_back(step(IndexPlanKind::Each, left_.back() / *cut_.lanes, 0, 0));
    }
    return out;
  }

 private:
  void bring(std::size_t axis) {
    auto at = std::find(order_.begin(), order_.end(), axis);
    if (at != order_.begin()) {
      steps_.push_back(step(IndexPlanKind::Move, 0, 0, static_cast<std::size_t>(at - order_.begin())));
      std::rotate(order_.begin(), at, at + 1);
    }
  }

  const Lengths& left_;
  const TileCut& cut_;
  std::vector<std::size_t> order_;  // axes as they were, by number; then the new ones
  std::vector<IndexPlan> steps_;
};

// Of a sum that is cut: every tile is the last two of so many axes, and there are no copies, which know axes by their places.
bool ends_in_two(const IndexPlan& plan, std::size_t axes) {
  if (plan.kind == IndexPlanKind::Leaf) {
    return axes == 2;
  }
  bool known = plan.kind == IndexPlanKind::Each || plan.kind == IndexPlanKind::Cut || plan.kind == IndexPlanKind::Then;
  std::size_t left = plan.kind == IndexPlanKind::Each ? axes - 1 : axes;
  return known &&
         std::all_of(plan.parts.begin(), plan.parts.end(), [&](const IndexPlan& part) { return ends_in_two(part, left); });
}

IndexPlan with_loops(const IndexPlan& plan, const std::vector<IndexPlan>& loops) {
  if (plan.kind == IndexPlanKind::Leaf) {
    return nested(loops, plan);
  }
  IndexPlan out = plan;
  for (IndexPlan& part : out.parts) {
    part = with_loops(part, loops);
  }
  return out;
}

class Narrower {
 public:
  explicit Narrower(const TileTarget& target) : target_(target) {}

  // `tiled`: loops around have taken axes of the tile.
  IndexPlan part(const IndexPlan& plan, Lengths left, bool tiled) const {
    switch (plan.kind) {
      case IndexPlanKind::Leaf:
      case IndexPlanKind::Cut:
      case IndexPlanKind::Then: return tiled || !ends_in_two_of(plan, left) ? plan : cut(plan, left, cut_for(left, target_));
      case IndexPlanKind::Over: return over(plan, std::move(left), tiled);
      case IndexPlanKind::Tiles: return tiles(plan, std::move(left));
      case IndexPlanKind::Split: {
        Lengths first = left;
        first[0] = plan.count;
        left[0] = plan.width;
        return with_parts(plan, {part(plan.parts[0], std::move(first), tiled), part(plan.parts[1], std::move(left), tiled)});
      }
      default: return with_parts(plan, {part(plan.parts[0], after(plan, std::move(left)), tiled)});
    }
  }

 private:
  static IndexPlan with_parts(IndexPlan plan, std::vector<IndexPlan> parts) {
    plan.parts = std::move(parts);
    return plan;
  }

  static bool ends_in_two_of(const IndexPlan& plan, const Lengths& left) {
    return left.size() >= 2 && ends_in_two(plan, left.size());
  }

  static IndexPlan cut(const IndexPlan& plan, const Lengths& left, const TileCut& how) {
    Cutter cutter(left, how);
    return how.any() ? nested(cutter.steps(), with_loops(plan, cutter.loops())) : plan;
  }

  // What is computed beyond lies in memory: of few rows at a time.
  IndexPlan over(const IndexPlan& plan, Lengths left, bool tiled) const {
    Lengths wide = left;
    wide[plan.inner] = plan.width;
    bool is_tile = !tiled && plan.parts[0].kind == IndexPlanKind::Leaf && left.size() == 2 && plan.inner == 1;
    TileCut how = is_tile ? cut_for(wide, target_) : TileCut();
    how.lanes.reset();
    if (how.rows) {
      Cutter cutter(left, how);
      wide[0] = *how.rows;
      std::vector<IndexPlan> steps = cutter.steps();
      std::vector<IndexPlan> loops = cutter.loops();
      steps.insert(steps.end(), loops.begin(), loops.end());
      return nested(std::move(steps), with_parts(plan, {part(plan.parts[0], std::move(wide), tiled)}));
    }
    return with_parts(plan, {part(plan.parts[0], std::move(wide), tiled)});
  }

  IndexPlan tiles(IndexPlan plan, Lengths left) const {
    if (auto width = part_at(plan.width, plan.inner == 0 ? target_.lanes : target_.rows)) {
      plan.count = plan.count * (plan.width / *width);
      plan.width = *width;
    }
    left.erase(left.begin());
    IndexPlan rest = part(plan.parts[0], std::move(left), true);
    return with_parts(std::move(plan), {std::move(rest)});
  }

  // What is left inside of a step with one part.
  static Lengths after(const IndexPlan& plan, Lengths left) {
    switch (plan.kind) {
      case IndexPlanKind::Each: left.erase(left.begin()); return left;
      case IndexPlanKind::Blocks:
        left[0] = plan.width;
        left.insert(left.begin(), plan.count);
        return left;
      case IndexPlanKind::Merge:
        left.erase(left.begin());
        left[0] = plan.count * plan.width;
        return left;
      case IndexPlanKind::Move: std::rotate(left.begin(), left.begin() + plan.inner, left.begin() + plan.inner + 1); return left;
      case IndexPlanKind::Under: left[0] += plan.width; return left;
      case IndexPlanKind::Tab:
      case IndexPlanKind::Finish: return left;
      default: fault("a step with one part");
    }
  }

  const TileTarget& target_;
};

}  // namespace

IndexPlan narrowed(const IndexPlan& plan, const std::vector<Integer>& extents, const TileTarget& target) {
  return Narrower(target).part(plan, extents, false);
}

}  // namespace vouch
