#include "certify/index_few.h"

#include <algorithm>

#include "certify/index_left.h"

namespace vouch {

namespace {

// An addition takes about four cycles, and two begin in each; more than sixteen registers are not everywhere.
constexpr long kLeastFew = 4;
constexpr long kMostFew = 16;

}  // namespace

std::optional<IndexTiling> plan_few(const IndexStatement& output) {
  std::size_t left = output.extents.size();
  Integer few = 1;
  while (left > 0 && few * output.extents[left - 1]->value <= kMostFew) {
    few *= output.extents[--left]->value;
  }
  if (few < kLeastFew) {
    return std::nullopt;
  }
  auto outer = output.extents.begin() + static_cast<std::ptrdiff_t>(left);
  auto shared =
      std::find_if(output.extents.begin(), outer, [](const array::Size& extent) { return extent->value >= kFewThreads; });
  IndexPlan plan;
  for (std::size_t axis = left; axis-- > 0;) {
    bool parallel = shared != outer && axis == static_cast<std::size_t>(shared - output.extents.begin());
    plan = {IndexPlanKind::Each, parallel ? array::LoopKind::Par : array::LoopKind::Seq, output.extents[axis], 0, 0, 0, {plan}};
  }
  return IndexTiling{{}, plan};
}

}  // namespace vouch
