#include "certify/index_left.h"

#include <algorithm>

namespace vouch {

std::optional<std::size_t> Left::place(const Label& label) const {
  auto found = std::find_if(axes.begin(), axes.end(), [&](const Axis& a) { return a.label == label; });
  return found == axes.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - axes.begin()));
}

IndexPlan plan_node(IndexPlanKind kind, const Integer& count, const Integer& width, unsigned inner,
                    std::vector<IndexPlan> parts) {
  return {kind, array::LoopKind::Seq, array::size_const(0), count, width, inner, std::move(parts)};
}

IndexPlan front(Left left, const Label& label, const Rest& rest) {
  auto before = static_cast<unsigned>(left.place(label).value());
  auto found = left.axes.begin() + before;
  std::rotate(left.axes.begin(), found, found + 1);
  return before == 0 ? rest(left) : plan_node(IndexPlanKind::Move, 0, 0, before, {rest(left)});
}

IndexPlan in_front(const Left& left, std::vector<Label> labels, const Rest& rest) {
  if (labels.empty()) {
    return rest(left);
  }
  Label last = labels.back();
  labels.pop_back();
  auto others = [&](const Left& l) { return in_front(l, labels, rest); };
  return left.place(last) ? front(left, last, others) : others(left);
}

IndexPlan each(Left left, array::LoopKind loop, const Rest& rest) {
  Integer extent = left.axes[0].extent;
  left.axes.erase(left.axes.begin());
  return {IndexPlanKind::Each, loop, array::size_const(extent), 0, 0, 0, {rest(left)}};
}

IndexPlan blocks(Left left, const Integer& width, const Label& label, const Rest& rest) {
  Integer count = left.axes[0].extent / width;
  left.axes[0].extent = width;
  left.axes.insert(left.axes.begin(), {label, count});
  return plan_node(IndexPlanKind::Blocks, count, width, 0, {rest(left)});
}

IndexPlan split(Left left, const Integer& first, const Rest& most, const Rest& remains) {
  Integer second = left.axes[0].extent - first;
  if (second == 0) {
    return most(left);
  }
  if (first == 0) {
    return remains(left);
  }
  left.axes[0].extent = first;
  IndexPlan a = most(left);
  left.axes[0].extent = second;
  return plan_node(IndexPlanKind::Split, first, second, 0, {std::move(a), remains(left)});
}

static IndexPlan outside_from(const Left& left, const Product& product, std::size_t k, bool shared,
                              const std::function<IndexPlan(const Left&, bool)>& inside) {
  if (k == product.outside.size()) {
    return front(left, {product.lanes, Part::Whole}, [&](const Left& l) { return inside(l, shared); });
  }
  return front(left, {product.outside[k], Part::Whole}, [&](const Left& l) {
    bool share = !shared && l.axes[0].extent >= kFewThreads;
    return each(l, share ? array::LoopKind::Par : array::LoopKind::Seq,
                [&](const Left& m) { return outside_from(m, product, k + 1, shared || share, inside); });
  });
}

IndexPlan along_outside(const Axes& axes, const Product& product, const std::function<IndexPlan(const Left&, bool)>& inside) {
  Left all;
  for (std::size_t axis = 0; axis < axes.count(); ++axis) {
    all.axes.push_back({{axis, Part::Whole}, axes.extent(axis)});
  }
  return outside_from(all, product, 0, false, inside);
}

}  // namespace vouch
