#include "certify/index_merge.h"

#include <algorithm>

#include "certify/index_left.h"
#include "certify/index_lowering.h"
#include "certify/index_standins.h"

namespace vouch {

using array::Size;

namespace {

bool mentions(const IndexCond& c, unsigned variable) {
  return std::any_of(c.terms.begin(), c.terms.end(), [&](const IndexTerm& t) { return uses(t, variable); }) ||
         std::any_of(c.parts.begin(), c.parts.end(), [&](const IndexCond& part) { return mentions(part, variable); });
}

// Two variables, of neighbouring axes with those extents.
struct Pair {
  unsigned first = 0;
  unsigned second = 0;
  Size count;
  Size width;
};

bool apart_from(const IndexCond& c, const Pair& pair) { return !mentions(c, pair.first) && !mentions(c, pair.second); }

// Where the subscripts are those variables, whole axes, one after the other.
std::optional<std::size_t> together(const IndexBody& read, const Pair& pair) {
  for (std::size_t k = 0; k + 1 < read.at.size(); ++k) {
    if (is_variable(read.at[k], pair.first) && is_variable(read.at[k + 1], pair.second) &&
        array::same_size(read.extents[k], pair.count) && array::same_size(read.extents[k + 1], pair.width)) {
      return k;
    }
  }
  return std::nullopt;
}

// Reads both as one, the second variable; nothing if that cannot be.
bool merge_body(IndexBody& b, const Pair& pair) {
  if (!apart_from(b.condition, pair)) {
    return false;
  }
  if (auto at = b.kind == IndexBodyKind::Read ? together(b, pair) : std::nullopt) {
    auto k = static_cast<std::ptrdiff_t>(*at);
    b.extents[*at + 1] = times_size(b.extents[*at], b.extents[*at + 1]);
    b.extents.erase(b.extents.begin() + k);
    b.at.erase(b.at.begin() + k);
    return std::none_of(b.at.begin(), b.at.end(), [&](const IndexTerm& t) { return uses(t, pair.first); }) &&
           std::count_if(b.at.begin(), b.at.end(), [&](const IndexTerm& t) { return uses(t, pair.second); }) == 1;
  }
  return std::none_of(b.at.begin(), b.at.end(),
                      [&](const IndexTerm& t) { return uses(t, pair.first) || uses(t, pair.second); }) &&
         std::all_of(b.args.begin(), b.args.end(), [&](IndexBody& arg) { return merge_body(arg, pair); });
}

std::optional<IndexStatement> merge_statement(IndexStatement s, std::size_t axis) {
  std::size_t inside = s.extents.size() - 2 - axis;  // axes
  Standins standins;
  for (std::size_t v = 0; v < s.extents.size(); ++v) {
    standins.push_back(term_variable(static_cast<unsigned>(v <= inside ? v : v - 1)));
  }
  for (IndexSummand& summand : s.summands) {
    auto second = static_cast<unsigned>(summand.loops.size() + inside);
    Pair pair{second + 1, second, s.extents[axis], s.extents[axis + 1]};
    if (!apart_from(summand.condition, pair) || !merge_body(summand.body, pair)) {
      return std::nullopt;
    }
    summand = replaced(standins, summand);
  }
  s.extents[axis + 1] = times_size(s.extents[axis], s.extents[axis + 1]);
  s.extents.erase(s.extents.begin() + static_cast<std::ptrdiff_t>(axis));
  return s;
}

}  // namespace

std::optional<MergedAxes> merge_axes(const IndexKernel& kernel) {
  const std::vector<Size>& extents = kernel.output.extents;
  auto is_number = [](const Size& n) { return n->kind == array::SizeKind::Const; };
  if (extents.size() < 2 || !std::all_of(extents.begin(), extents.end(), is_number)) {
    return std::nullopt;
  }
  for (std::size_t axis = extents.size() - 1; axis-- > 0;) {
    const Integer& count = extents[axis]->value;
    const Integer& width = extents[axis + 1]->value;
    auto merged = count > 1 && width > 1 ? merge_statement(kernel.output, axis) : std::nullopt;
    if (merged) {
      MergedAxes out{kernel, axis, count, width};
      out.kernel.output = std::move(*merged);
      return out;
    }
  }
  return std::nullopt;
}

IndexPlan after_merging(const MergedAxes& merged, IndexPlan plan) {
  auto axis = static_cast<unsigned>(merged.axis);
  auto move = [](unsigned place, IndexPlan rest) { return plan_node(IndexPlanKind::Move, 0, 0, place, {std::move(rest)}); };
  for (unsigned k = 0; k < axis; ++k) {  // those before it come to the front again
    plan = move(axis, std::move(plan));
  }
  plan = plan_node(IndexPlanKind::Merge, merged.count, merged.width, 0, {std::move(plan)});
  return axis == 0 ? plan : move(axis + 1, move(axis + 1, std::move(plan)));
}

}  // namespace vouch
