#include "certify/index_tile.h"

#include <algorithm>

#include "certify/index_lowering.h"

namespace vouch {

using namespace array;

namespace {

bool surely_le(const IndexContext& context, const IndexTerm& a, const IndexTerm& b) {
  Lowering lower(context);
  IndexDifference x = lower.term(a);
  IndexDifference y = lower.term(b);
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

// One element: the looped summand has been added up, and is the accumulator.
Exp lane_sum(const IndexContext& context, const std::vector<IndexSummand>& summands, unsigned depth, unsigned accumulator) {
  auto term = [&](const IndexSummand& s) { return s.loops.empty() ? lowered_summand(s, context, depth) : exp_var(accumulator); };
  Exp out = term(summands[0]);
  for (std::size_t k = 1; k < summands.size(); ++k) {
    out = exp_op(Op::Add, exp_pair(out, term(summands[k])));
  }
  return out;
}

// For every element of a tile, as `lane_maps`.
Exp lane_sums(const IndexContext& context, const IndexStatement& s, std::size_t from, unsigned depth, unsigned accumulator) {
  if (from == s.extents.size()) {
    return lane_sum(context, s.summands, depth, accumulator);
  }
  Type row = type_of(s.extents, from + 1);
  return exp_map(from + 1 == s.extents.size() ? LoopKind::Vec : LoopKind::Unr, s.extents[from], row, row,
                 lane_sums(inside(context, s.extents[from]), s, from + 1, depth + 1, 0), exp_var(accumulator));
}

// Of a pair of tiles, element by element.
Exp tile_add(const std::vector<Size>& lanes, std::size_t from, const Exp& e) {
  if (from == lanes.size()) {
    return exp_op(Op::Add, exp_pair(exp_layout(layout(LayoutKind::Fst), e), exp_layout(layout(LayoutKind::Snd), e)));
  }
  Type row = type_of(lanes, from + 1);
  return exp_map(from + 1 == lanes.size() ? LoopKind::Vec : LoopKind::Unr, lanes[from], type_pair(row, row), row,
                 tile_add(lanes, from + 1, exp_var(0)), exp_layout(layout(LayoutKind::Zip), e));
}

Exp sum_in_tile(const IndexContext& context, const Tile& tile, unsigned depth, const IndexSummand& s) {
  return tile_fold(Place::Fresh, context, tile, depth, s, 0, exp_const(type_of(outside_in(tile.lanes), 0), Const()));
}

// Several sums, each in a tile of its own.
Exp tile_sums(const IndexContext& context, const Tile& tile, unsigned depth, const std::vector<IndexSummand>& summands) {
  Exp out = sum_in_tile(context, tile, depth, summands[0]);
  Exp both = tile_add(outside_in(tile.lanes), 0, exp_pair(exp_var(1), exp_var(0)));
  for (std::size_t k = 1; k < summands.size(); ++k) {
    out = exp_let(out, exp_let(sum_in_tile(context, tile, depth + 1, summands[k]), both));
  }
  return out;
}

}  // namespace

std::vector<Size> outside_in(const std::vector<Size>& lanes) { return {lanes.rbegin(), lanes.rend()}; }

IndexContext inside(IndexContext context, const Size& n) {
  context.bounds.insert(context.bounds.begin(), n);
  return context;
}

Exp tile_fold(Place place, const IndexContext& context, const Tile& tile, unsigned depth, const IndexSummand& s, std::size_t from,
              const Exp& start) {
  const Size& n = s.loops[from];
  IndexContext deeper = inside(context, n);
  Tile within{tile.lanes, with_var(static_cast<unsigned>(tile.lanes.size()), tile.standins), tile.unrolled};
  std::vector<Size> extents = outside_in(tile.lanes);
  Exp step = from + 1 == s.loops.size() ? lane_maps(deeper, extents, 0, depth + 2, 1, replaced(within.standins, s.condition),
                                                    replaced(within.standins, s.body))
                                        : tile_fold(Place::Into, deeper, within, depth + 2, s, from + 1, exp_var(1));
  Exp sum = exp_reduce(place, n, type_num(), type_of(extents, 0), step, start, zeros(n));
  return s.loops.size() - from <= tile.unrolled ? exp_unrolled(sum) : sum;
}

const IndexSummand* only_looped(const std::vector<IndexSummand>& summands) {
  auto has_loops = [](const IndexSummand& s) { return !s.loops.empty(); };
  auto found = std::find_if(summands.begin(), summands.end(), has_loops);
  return std::count_if(summands.begin(), summands.end(), has_loops) == 1 ? &*found : nullptr;
}

Exp tile_of(const IndexContext& context, const Tile& tile, unsigned depth, const std::vector<IndexSummand>& summands) {
  std::vector<Size> extents = outside_in(tile.lanes);
  IndexStatement plain{extents, {}};
  for (const IndexSummand& s : summands) {
    plain.summands.push_back(replaced(tile.standins, s));
  }
  const IndexSummand* looped = only_looped(summands);
  if (looped == nullptr) {
    bool sums = std::none_of(summands.begin(), summands.end(), [](const IndexSummand& s) { return s.loops.empty(); });
    return sums ? tile_sums(context, tile, depth, summands) : generate(LoopKind::Seq, plain, 0, context, depth);
  }
  Exp sum = sum_in_tile(context, tile, depth, *looped);
  return summands.size() == 1 ? sum : exp_let(sum, lane_sums(context, plain, 0, depth + 1, 0));
}

}  // namespace vouch
