#include "certify/index_parts.h"

#include <algorithm>

#include "certify/index_left.h"

namespace vouch {

using array::LoopKind;
using array::Size;
using array::SizeKind;
using array::SizePart;

Size part_of(SizePart part, const Size& n, const Integer& by, const Integer& base) {
  if (n->kind == SizeKind::Var) {
    return size_part(part, n->var, by, base);
  }
  Integer value = array::size_value(size_part(part, 0, by, base), {n->value});
  return array::size_const(value);
}

Size times_of(const Integer& by, const Size& n) {
  return n->kind == SizeKind::Const ? array::size_const(by * n->value) : size_mul(array::size_const(by), n);
}

IndexPlan moved_first(unsigned inner, IndexPlan rest) { return plan_node(IndexPlanKind::Move, 0, 0, inner, {std::move(rest)}); }

IndexPlan each(const Size& extent, LoopKind loop, IndexPlan rest) {
  return {IndexPlanKind::Each, loop, extent, 0, 0, 0, {std::move(rest)}};
}

IndexPlan each_of(const std::vector<Size>& extents, IndexPlan rest, LoopKind kind) {
  auto first = std::find_if(extents.begin(), extents.end(), [](const Size& n) { return at_least(n, kFewThreads); });
  for (auto axis = extents.end(); axis-- != extents.begin();) {
    rest = each(*axis, axis == first ? kind : LoopKind::Seq, std::move(rest));
  }
  return rest;
}

IndexPlan in_blocks(const Size& count, const Integer& width, LoopKind loop, IndexPlan rest) {
  IndexPlan out = plan_node(IndexPlanKind::Blocks, 0, width, 0, {each(count, loop, std::move(rest))});
  out.named_count = count;
  return out;
}

IndexPlan in_parts(const Size& first, const IndexPlan& most, const Size& second, const IndexPlan& rest) {
  if (is_const(second, 0) || is_const(first, 0)) {
    return is_const(second, 0) ? most : rest;
  }
  IndexPlan out = plan_node(IndexPlanKind::Split, 0, 0, 0, {most, rest});
  out.named_count = first;
  out.named_width = second;
  return out;
}

}  // namespace vouch
