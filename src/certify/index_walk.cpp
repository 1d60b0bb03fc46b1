#include <algorithm>

#include "certify/index_finish.h"
#include "certify/index_lowering.h"
#include "certify/index_plan.h"
#include "certify/index_tabulate.h"
#include "certify/index_tile.h"
#include "certify/index_work.h"
#include "support/fault.h"

namespace vouch {

using namespace array;

namespace {

// The axis after `before` + `distance` others, moved to after `before`.
Exp to_front(unsigned before, std::size_t distance, const Exp& e) {
  if (distance == 0) {
    return e;
  }
  Layout swap = layout(LayoutKind::Trans);
  for (unsigned axis = 0; axis < before; ++axis) {
    swap = layout_each(swap);
  }
  return exp_layout(swap, to_front(before + 1, distance - 1, e));
}

// The first axis, moved to after `distance` others.
Exp to_back(unsigned distance, const Exp& e) {
  if (distance == 0) {
    return e;
  }
  Layout swap = layout(LayoutKind::Trans);
  for (unsigned axis = 1; axis < distance; ++axis) {
    swap = layout_each(swap);
  }
  return exp_layout(swap, to_back(distance - 1, e));
}

// What the work goes on from.
Exp start_of(const Work& work, const Type& type, const Exp& before) { return work.whole ? exp_const(type, Const()) : before; }

// Where in the plan: the axes that are left, the loops around, the tile so far, data variables.
struct Position {
  std::vector<Size> extents;
  IndexContext context;
  Tile tile;
  unsigned depth = 0;

  Type whole() const { return row(0); }
  // Of what is left inside of the first axes.
  Type row(std::size_t from) const {
    std::vector<Size> all(extents.begin() + static_cast<std::ptrdiff_t>(from), extents.end());
    all.insert(all.end(), tile.lanes.rbegin(), tile.lanes.rend());
    return type_of(all, 0);
  }
  std::size_t outer() const { return tile.standins.size(); }
  Position with_extents(std::vector<Size> other) const { return {std::move(other), context, tile, depth}; }
};

Exp planned(const IndexPlan& plan, const Work& work, const Exp& start, const Position& at);

Exp leaf(const IndexPlan& plan, const Work& work, const Exp& start, const Position& at) {
  Tile all = at.tile;
  all.unrolled = plan.inner;
  for (const Size& n : at.extents) {
    all.standins = with_var(static_cast<unsigned>(at.tile.lanes.size()), all.standins);
    all.lanes.insert(all.lanes.begin() + static_cast<std::ptrdiff_t>(at.tile.lanes.size()), n);
  }
  Exp sums = work.whole ? tile_of(at.context, all, at.depth, work.summands)
                        : tile_fold(array::Place::Fresh, at.context, all, at.depth, work.sum(), 0, start);
  return finished(at.context, all.lanes, at.depth, replaced(all.standins, work.end), sums);
}

Exp each(const IndexPlan& plan, const Work& work, const Exp& start, const Position& at) {
  Tile tile{at.tile.lanes, with_var(static_cast<unsigned>(at.tile.lanes.size()), at.tile.standins)};
  Position within{{at.extents.begin() + 1, at.extents.end()}, inside(at.context, plan.extent), tile, at.depth + 1};
  Exp body = planned(plan.parts[0], work, exp_var(0), within);
  return work.whole ? exp_map(plan.loop, plan.extent, type_num(), at.row(1), body, zeros(plan.extent))
                    : exp_map(plan.loop, plan.extent, at.row(1), at.row(1), body, start);
}

Exp tiles(const IndexPlan& plan, const Work& work, const Exp& start, const Position& at) {
  unsigned here = static_cast<unsigned>(at.tile.lanes.size());
  Size blocks = size_const(plan.count);
  Size width = size_const(plan.width);
  Position within{{at.extents.begin() + 1, at.extents.end()}, inside(at.context, blocks), at.tile, at.depth + 1};
  within.tile.lanes.insert(within.tile.lanes.begin() + plan.inner, width);
  within.tile.standins = {term_sum(term_scaled(plan.width, term_variable(here + 1)), term_variable(plan.inner))};
  for (const IndexTerm& t : at.tile.standins) {
    within.tile.standins.push_back(lifted(plan.inner, lifted(here, t)));
  }
  Exp front = to_front(0, at.extents.size() - 1 + here - plan.inner, planned(plan.parts[0], work, start, within));
  return exp_layout(layout(LayoutKind::Join, {width, blocks}),
                    exp_map(plan.loop, blocks, type_num(), type_array(width, at.row(1)), front, zeros(blocks)));
}

Exp split(const IndexPlan& plan, const Work& work, const Exp& start, const Position& at) {
  std::vector<Size> first = at.extents;
  std::vector<Size> second = at.extents;
  first[0] = plan.counted();
  second[0] = plan.wide();
  Work rest = work_at(after(at.extents.size(), at.outer(), first[0]), work);
  return exp_cat(first[0], second[0], at.row(1), planned(plan.parts[0], work, start, at.with_extents(first)),
                 planned(plan.parts[1], rest, start, at.with_extents(second)));
}

Exp blocks(const IndexPlan& plan, const Work& work, const Exp& start, const Position& at) {
  std::vector<Size> extents = at.extents;
  Size width = size_const(plan.width);
  Size count = plan.counted();
  extents[0] = width;
  extents.insert(extents.begin(), count);
  Work within = work_at(blocked(at.extents.size(), at.outer(), plan.width), work);
  return exp_layout(layout(LayoutKind::Join, {width, count}), planned(plan.parts[0], within, start, at.with_extents(extents)));
}

Exp merge(const IndexPlan& plan, const Work& work, const Exp& start, const Position& at) {
  std::vector<Size> extents(at.extents.begin() + 1, at.extents.end());
  Size width = size_const(plan.width);
  extents[0] = times_size(at.extents[0], width);
  Work within = work_at(merged(at.extents.size(), at.outer(), plan.width), work);
  return exp_layout(layout(LayoutKind::Split, {width, at.extents[0]}),
                    planned(plan.parts[0], within, start, at.with_extents(extents)));
}

Exp move(const IndexPlan& plan, const Work& work, const Exp& start, const Position& at) {
  std::vector<Size> extents = at.extents;
  auto axis = extents.begin() + static_cast<std::ptrdiff_t>(plan.inner);
  std::rotate(extents.begin(), axis, axis + 1);
  Work within = work_at(moved(at.extents.size(), plan.inner, at.outer()), work);
  return to_back(plan.inner, planned(plan.parts[0], within, start, at.with_extents(extents)));
}

Exp over(const IndexPlan& plan, const Work& work, const Exp& start, const Position& at) {
  std::vector<Size> extents = at.extents;
  Layout kept = layout(LayoutKind::Slice, {size_const(0), extents[plan.inner]});
  for (unsigned axis = 0; axis < plan.inner; ++axis) {
    kept = layout_each(kept);
  }
  extents[plan.inner] = plan.wide();
  return exp_layout(kept, planned(plan.parts[0], work, start, at.with_extents(extents)));
}

Exp under(const IndexPlan& plan, const Work& work, const Exp& start, const Position& at) {
  std::vector<Size> extents = at.extents;
  Size width = size_const(plan.width);
  extents[0] = plus_size(width, extents[0]);
  Work within = work_at(before(at.extents.size(), at.outer(), plan.width), work);
  return exp_layout(layout(LayoutKind::Slice, {width, at.extents[0]}),
                    planned(plan.parts[0], within, start, at.with_extents(extents)));
}

Exp cut(const IndexPlan& plan, const Work& work, const Exp& start, const Position& at) {
  Size count = size_const(plan.count);
  Work within = part_at(vouch::cut(at.extents.size(), at.outer(), plan.width), plan.width, work.sum());
  Tile tile{at.tile.lanes, with_var(static_cast<unsigned>(at.tile.lanes.size()), at.tile.standins)};
  Exp step = planned(plan.parts[0], within, exp_var(1), {at.extents, inside(at.context, count), tile, at.depth + 2});
  return exp_reduce(array::Place::Into, count, type_num(), at.whole(), step, start_of(work, at.whole(), start), zeros(count));
}

Exp then(const IndexPlan& plan, const Work& work, const Exp& start, const Position& at) {
  std::size_t count = at.extents.size() + at.outer();
  Exp before =
      planned(plan.parts[0], part_at(variables(0, count + 1), plan.count, work.sum()), start_of(work, at.whole(), start), at);
  return planned(plan.parts[1], part_at(later(count, plan.count), plan.width, work.sum(), work.end), before, at);
}

// A variable or a constant, under one more data variable.
Exp lifted(const Exp& start) { return start->kind == array::ExpKind::Var ? exp_var(start->var + 1) : start; }

// What is read is copied; all data variables are tensors to what is inside.
Exp tab(const IndexPlan& plan, const Work& work, const Exp& start, const Position& at) {
  ensure(at.tile.lanes.empty(), "a copy is made outside of tiles");
  Tabulated inside = tabulated(plan.inner, plan.over, work.summands, at.extents, at.outer(), at.depth);
  Standins here = at.tile.standins;
  for (std::size_t k = 0; k < plan.over.size(); ++k) {
    here = with_var(0, here);
  }
  IndexStatement copy{inside.extents, {{{}, {}, replaced(here, inside.copied)}}};
  Exp made = exp_mem(type_of(inside.extents, 0), generate(LoopKind::Seq, copy, 0, at.context, at.depth));
  return exp_let(made, planned(plan.parts[0], {work.whole, inside.summands, past(at.depth + 1, work.end)}, lifted(start),
                               {at.extents, at.context, at.tile, 0}));
}

// `start`: what a sum goes on from, an array of what is left.
Exp planned(const IndexPlan& plan, const Work& work, const Exp& start, const Position& at) {
  switch (plan.kind) {
    case IndexPlanKind::Leaf: return leaf(plan, work, start, at);
    case IndexPlanKind::Each: return each(plan, work, start, at);
    case IndexPlanKind::Tiles: return tiles(plan, work, start, at);
    case IndexPlanKind::Split: return split(plan, work, start, at);
    case IndexPlanKind::Blocks: return blocks(plan, work, start, at);
    case IndexPlanKind::Merge: return merge(plan, work, start, at);
    case IndexPlanKind::Move: return move(plan, work, start, at);
    case IndexPlanKind::Over: return over(plan, work, start, at);
    case IndexPlanKind::Under: return under(plan, work, start, at);
    case IndexPlanKind::Cut: return cut(plan, work, start, at);
    case IndexPlanKind::Then: return then(plan, work, start, at);
    case IndexPlanKind::Tab: return tab(plan, work, start, at);
    case IndexPlanKind::Finish: break;  // of whole kernels
  }
  fault("no such plan");
}

}  // namespace

Exp lower_tiled(const IndexKernel& kernel, const IndexPlan& plan) {
  bool finishes = plan.kind == IndexPlanKind::Finish;
  const IndexStatement& sums = finishes ? kernel.locals.back() : kernel.output;
  return planned(finishes ? plan.parts[0] : plan, {true, sums.summands, finishes ? ending(kernel.output) : itself()},
                 exp_const(type_num(), Const()), {sums.extents, {kernel.facts, {}}, {}, 0});
}

}  // namespace vouch
