#include "certify/index_tile.h"

#include <algorithm>

#include "certify/index_lowering.h"
#include "support/fault.h"

namespace vouch {

using namespace array;

namespace {

// What stands for each index variable.
using Standins = std::vector<IndexTerm>;

// Under one more index variable, of that number.
IndexTerm lifted(unsigned number, IndexTerm t) {
  if (t.kind == IndexTermKind::Var) {
    t.var += t.var < number ? 0 : 1;
  }
  for (IndexTerm& arg : t.args) {
    arg = lifted(number, arg);
  }
  return t;
}

Standins with_var(unsigned number, const Standins& standins) {
  Standins out{term_variable(number)};
  for (const IndexTerm& t : standins) {
    out.push_back(lifted(number, t));
  }
  return out;
}

IndexTerm replaced(const Standins& standins, IndexTerm t) {
  if (t.kind == IndexTermKind::Var) {
    return t.var < standins.size() ? standins[t.var] : term_constant(0);
  }
  for (IndexTerm& arg : t.args) {
    arg = replaced(standins, arg);
  }
  return t;
}

IndexCond replaced(const Standins& standins, IndexCond c) {
  for (IndexTerm& t : c.terms) {
    t = replaced(standins, t);
  }
  for (IndexCond& part : c.parts) {
    part = replaced(standins, part);
  }
  return c;
}

IndexBody replaced(const Standins& standins, IndexBody b) {
  for (IndexTerm& t : b.at) {
    t = replaced(standins, t);
  }
  b.condition = replaced(standins, b.condition);
  for (IndexBody& arg : b.args) {
    arg = replaced(standins, arg);
  }
  return b;
}

IndexSummand replaced(Standins standins, IndexSummand s) {
  for (std::size_t loop = 0; loop < s.loops.size(); ++loop) {
    standins = with_var(0, standins);
  }
  s.condition = replaced(standins, s.condition);
  s.body = replaced(standins, s.body);
  return s;
}

bool surely_le(const IndexContext& context, const IndexTerm& a, const IndexTerm& b) {
  Lowering lower(context);
  Difference x = lower.term(a);
  Difference y = lower.term(b);
  return index_safe(context, index_op(IndexKind::Sub, add_index(y.plus, x.minus), add_index(x.plus, y.minus)));
}

// Without what always holds.
IndexCond trimmed(const IndexContext& context, const IndexCond& c) {
  if (c.kind == IndexCondKind::Le) {
    return surely_le(context, c.terms[0], c.terms[1]) ? IndexCond() : c;
  }
  if (c.kind == IndexCondKind::And) {
    IndexCond first = trimmed(context, c.parts[0]);
    IndexCond second = trimmed(context, c.parts[1]);
    return first.kind == IndexCondKind::True    ? second
           : second.kind == IndexCondKind::True ? first
                                                : IndexCond{IndexCondKind::And, {}, {first, second}};
  }
  return c;
}

// Those extents, the last first.
std::vector<Size> outside_in(const std::vector<Size>& lanes) { return {lanes.rbegin(), lanes.rend()}; }

IndexContext inside(IndexContext context, const Size& n) {
  context.bounds.insert(context.bounds.begin(), n);
  return context;
}

// One term, added to the accumulator.
Exp lane_step(const IndexContext& context, unsigned depth, unsigned accumulator, const IndexCond& condition,
              const IndexBody& body) {
  Lowering lower(context);
  Exp before = exp_var(accumulator);
  Exp more = exp_op(Op::Add, exp_pair(before, lower.body(body, depth)));
  IndexCond left = trimmed(context, condition);
  return left.kind == IndexCondKind::True ? more : exp_if(lower.condition(left), more, before);
}

// For every element of a tile, whose extents are given from the outermost on.
Exp lane_maps(const IndexContext& context, const std::vector<Size>& lanes, std::size_t from, unsigned depth, unsigned accumulator,
              const IndexCond& condition, const IndexBody& body) {
  if (from == lanes.size()) {
    return lane_step(context, depth, accumulator, condition, body);
  }
  Type row = type_of(lanes, from + 1);
  return exp_map(from + 1 == lanes.size() ? LoopKind::Vec : LoopKind::Unr, lanes[from], row, row,
                 lane_maps(inside(context, lanes[from]), lanes, from + 1, depth + 1, 0, condition, body), exp_var(accumulator));
}

// `lanes`: extents of the tile, the innermost first.
struct Tile {
  std::vector<Size> lanes;
  Standins standins;
};

Exp tile_fold(Place place, const IndexContext& context, const Tile& tile, unsigned depth, const IndexSummand& s, std::size_t from,
              const Exp& start) {
  const Size& n = s.loops[from];
  IndexContext deeper = inside(context, n);
  Tile within{tile.lanes, with_var(static_cast<unsigned>(tile.lanes.size()), tile.standins)};
  std::vector<Size> extents = outside_in(tile.lanes);
  Exp step = from + 1 == s.loops.size() ? lane_maps(deeper, extents, 0, depth + 2, 1, replaced(within.standins, s.condition),
                                                    replaced(within.standins, s.body))
                                        : tile_fold(Place::Into, deeper, within, depth + 2, s, from + 1, exp_var(1));
  return exp_reduce(place, n, type_num(), type_of(extents, 0), step, start, zeros(n));
}

Exp tile_of(const IndexContext& context, const Tile& tile, unsigned depth, const std::vector<IndexSummand>& summands) {
  std::vector<Size> extents = outside_in(tile.lanes);
  if (summands.size() == 1 && !summands[0].loops.empty()) {
    return tile_fold(Place::Fresh, context, tile, depth, summands[0], 0, exp_const(type_of(extents, 0), Const()));
  }
  IndexStatement plain{extents, {}};
  for (const IndexSummand& s : summands) {
    plain.summands.push_back(replaced(tile.standins, s));
  }
  return generate(LoopKind::Seq, plain, 0, context, depth);
}

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

class Planned {
 public:
  explicit Planned(const std::vector<IndexSummand>& summands) : summands_(summands) {}

  // Position `low` of the first of the extents is the first of the plan.
  Exp lower(const IndexPlan& plan, std::vector<Size> extents, const Integer& low, const IndexContext& context, const Tile& tile,
            unsigned depth) const {
    switch (plan.kind) {
      case IndexPlanKind::Leaf: return tile_of(context, tile, depth, summands_);
      case IndexPlanKind::Each: return each(plan, extents, low, context, tile, depth);
      case IndexPlanKind::Tiles: return tiles(plan, extents, low, context, tile, depth);
      case IndexPlanKind::Split: break;
    }
    Size first = size_const(plan.count);
    Size second = size_const(plan.width);
    Type type = row_type(extents, tile);
    extents[0] = first;
    Exp before = lower(plan.parts[0], extents, low, context, tile, depth);
    extents[0] = second;
    return exp_cat(first, second, type, before, lower(plan.parts[1], extents, low + plan.count, context, tile, depth));
  }

 private:
  // Of what is left inside of the first axis.
  static Type row_type(const std::vector<Size>& extents, const Tile& tile) {
    std::vector<Size> all(extents.begin() + 1, extents.end());
    all.insert(all.end(), tile.lanes.rbegin(), tile.lanes.rend());
    return type_of(all, 0);
  }

  Exp each(const IndexPlan& plan, const std::vector<Size>& extents, const Integer& low, const IndexContext& context,
           const Tile& tile, unsigned depth) const {
    unsigned here = static_cast<unsigned>(tile.lanes.size());
    Tile within{tile.lanes, with_var(here, tile.standins)};
    within.standins[0] = term_sum(term_variable(here), term_constant(low));
    Exp row = lower(plan.parts[0], {extents.begin() + 1, extents.end()}, 0, inside(context, plan.extent), within, depth + 1);
    return exp_map(plan.loop, plan.extent, type_num(), row_type(extents, tile), row, zeros(plan.extent));
  }

  Exp tiles(const IndexPlan& plan, const std::vector<Size>& extents, const Integer& low, const IndexContext& context,
            const Tile& tile, unsigned depth) const {
    unsigned here = static_cast<unsigned>(tile.lanes.size());
    Size blocks = size_const(plan.count);
    Size width = size_const(plan.width);
    Tile within = tile;
    within.lanes.insert(within.lanes.begin() + plan.inner, width);
    IndexTerm block = term_sum(term_scaled(plan.width, term_variable(here + 1)), term_variable(plan.inner));
    within.standins = {term_sum(block, term_constant(low))};
    for (const IndexTerm& t : tile.standins) {
      within.standins.push_back(lifted(plan.inner, lifted(here, t)));
    }
    Exp rows = lower(plan.parts[0], {extents.begin() + 1, extents.end()}, 0, inside(context, blocks), within, depth + 1);
    Exp front = to_front(0, extents.size() - 1 + here - plan.inner, rows);
    return exp_layout(layout(LayoutKind::Join, {width, blocks}),
                      exp_map(plan.loop, blocks, type_num(), type_array(width, row_type(extents, tile)), front, zeros(blocks)));
  }

  const std::vector<IndexSummand>& summands_;
};

}  // namespace

Exp lower_tiled(const IndexKernel& kernel, const IndexPlan& plan) {
  return Planned(kernel.output.summands).lower(plan, kernel.output.extents, 0, {kernel.facts, {}}, {}, 0);
}

}  // namespace vouch
