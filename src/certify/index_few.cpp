#include "certify/index_few.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "certify/index_axes.h"
#include "certify/index_left.h"
#include "certify/index_parts.h"

namespace vouch {

namespace {

// An addition takes about four cycles, and two begin in each; more than sixteen registers are not everywhere.
constexpr long kLeastFew = 4;
constexpr long kMostFew = 16;
constexpr long kBlock = 8;        // sums side by side, of an axis that has more
constexpr long kLeastTerms = 32;  // of such sums: fewer are short waits

IndexPlan each_position(const Integer& extent, bool parallel, IndexPlan rest) {
  return each(array::size_const(extent), parallel ? array::LoopKind::Par : array::LoopKind::Seq, std::move(rest));
}

// The axis as rows of one element each: their terms do not lie side by side.
IndexPlan as_rows(const Integer& extent) { return plan_node(IndexPlanKind::Blocks, extent, 1, 0, {IndexPlan()}); }

IndexPlan sums_in_blocks(const Integer& extent, bool parallel) {
  Integer count = extent / kBlock;
  Integer rest = extent % kBlock;
  IndexPlan most = plan_node(IndexPlanKind::Blocks, count, kBlock, 0, {each_position(count, parallel, as_rows(kBlock))});
  return rest == 0 ? most : plan_node(IndexPlanKind::Split, extent - rest, rest, 0, {std::move(most), as_rows(rest)});
}

Integer terms_of(const Axes& axes) {
  return std::accumulate(axes.loops().begin(), axes.loops().end(), Integer(1), std::multiplies<>());
}

// What some term reads at one position lies beside what it reads at the next.
bool lie_side_by_side(const Axes& axes, std::size_t axis) {
  return std::any_of(axes.reads().begin(), axes.reads().end(),
                     [&](const IndexBody* read) { return axes.stride(*read, axis) == Integer(1); });
}

}  // namespace

std::optional<IndexTiling> plan_few(const IndexStatement& output) {
  std::size_t left = output.extents.size();
  Integer few = 1;
  while (left > 0 && few * output.extents[left - 1]->value <= kMostFew) {
    few *= output.extents[--left]->value;
  }
  Axes axes(output);
  bool blocks = few == 1 && left > 0 && terms_of(axes) >= kLeastTerms && !lie_side_by_side(axes, left - 1);
  if (few < kLeastFew && !blocks) {
    return std::nullopt;
  }
  auto outer = output.extents.begin() + static_cast<std::ptrdiff_t>(left);
  auto shared =
      std::find_if(output.extents.begin(), outer, [](const array::Size& extent) { return extent->value >= kFewThreads; });
  auto parallel = [&](std::size_t axis) {
    return shared != outer && axis == static_cast<std::size_t>(shared - output.extents.begin());
  };
  bool rows = !blocks && output.extents[left]->value == few && !lie_side_by_side(axes, left);
  IndexPlan plan = blocks ? sums_in_blocks(output.extents[left - 1]->value, parallel(left - 1))
                   : rows ? as_rows(few)
                          : IndexPlan();
  for (std::size_t axis = blocks ? left - 1 : left; axis-- > 0;) {
    plan = each_position(output.extents[axis]->value, parallel(axis), std::move(plan));
  }
  return IndexTiling{{}, plan};
}

}  // namespace vouch
