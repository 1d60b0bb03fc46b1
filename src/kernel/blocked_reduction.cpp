#include "kernel/blocked_reduction.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "kernel/blocked_sum.h"
#include "kernel/reduction_order.h"
#include "kernel/strided.h"
#include "support/fault.h"
#include "term/substitute.h"

namespace vouch {
namespace {

constexpr std::int64_t kFewest = 4096;                      // terms in all, below which a loop program is as fast
constexpr std::int64_t kMostTerms = std::int64_t{1} << 24;  // of one sum
constexpr std::int64_t kMostResults = std::int64_t{1} << 26;

using Points = std::vector<BlockPoint>;

// All sums of one entry of each table: `points` times the axis.
Points extend(const Points& points, const std::vector<std::int64_t>& reads, const std::vector<std::int64_t>& values,
              std::int64_t stride) {
  Points longer;
  longer.reserve(points.size() * values.size());
  for (const BlockPoint& point : points) {
    for (std::int64_t value : values) {
      longer.push_back({point.read + reads[static_cast<std::size_t>(value)], point.write + value * stride});
    }
  }
  return longer;
}

std::vector<std::int64_t> all_values(std::size_t count) {
  std::vector<std::int64_t> values(count);
  for (std::size_t v = 0; v < count; ++v) {
    values[v] = static_cast<std::int64_t>(v);
  }
  return values;
}

// Over tensors whose elements are of T.
template <class T>
class BlockedReduction {
 public:
  BlockedReduction(Term reduce, std::span<const Symbol> indices, const Extents& extents, const TensorOfName& tensors)
      : reduce_(reduce), extents_(extents), tensors_(tensors) {
    space_.names.assign(indices.begin(), indices.end());
    space_.extents = extents;
  }

  std::optional<Tensor> run() {
    if (!measure()) {
      return std::nullopt;
    }
    Tensor total(DType::Float64, extents_);
    total_ = reinterpret_cast<double*>(total.mutable_bytes().data());
    bool done = reduce_.arg(0).kind() == TermKind::RealMul ? run_products() : run_fold();
    return done ? std::optional(std::move(total)) : std::nullopt;
  }

 private:
  struct Operand {
    Term read;
    Term guard;
    double otherwise = 0;
  };

  // Enters the reduction's indices into the space, in the order in which they run.
  bool measure() {
    std::int64_t results = 1;
    for (std::int64_t extent : extents_) {
      if (extent <= 0 || (results *= extent) > kMostResults) {
        return false;
      }
    }
    for (std::size_t k : reduction_order(reduce_)) {
      Symbol name = reduce_->bound[k];
      auto extent = const_int(reduce_.arg(k + 2));
      bool taken = std::find(space_.names.begin(), space_.names.end(), name) != space_.names.end();
      if (taken || !extent || *extent <= 0 || *extent > kMostTerms || (terms_ *= *extent) > kMostTerms) {
        return false;
      }
      space_.names.push_back(name);
      space_.extents.push_back(*extent);
    }
    return results * terms_ >= kFewest;
  }

  // A read, perhaps where a guard holds and 0 elsewhere.
  static std::optional<Operand> operand(Term t) {
    if (t.kind() == TermKind::Read) {
      return Operand{t, bool_const(true)};
    }
    bool zero = t.kind() == TermKind::Select && t.arg(2).kind() == TermKind::RealConst && t.arg(2)->value == 0;
    return zero && t.arg(1).kind() == TermKind::Read ? std::optional(Operand{t.arg(1), t.arg(0)}) : std::nullopt;
  }

  std::optional<StridedRead<T>> strided(const Operand& operand) const {
    const Tensor* tensor = tensors_(operand.read->symbol);
    return tensor ? strided_read<T>(operand.read, operand.guard, *tensor, space_, static_cast<T>(operand.otherwise))
                  : std::nullopt;
  }

  std::vector<std::int64_t> steps_of(const StridedRead<T>& read) const {
    Points steps{{read.base, 0}};
    for (std::size_t k = extents_.size(); k < space_.names.size(); ++k) {
      steps = extend(steps, read.steps[k], all_values(read.steps[k].size()), 0);
    }
    std::vector<std::int64_t> offsets;
    std::transform(steps.begin(), steps.end(), std::back_inserter(offsets), [](const BlockPoint& p) { return p.read; });
    return offsets;
  }

  std::int64_t stride(std::size_t axis) const {
    std::int64_t stride = 1;
    for (std::size_t k = axis + 1; k < extents_.size(); ++k) {
      stride *= extents_[k];
    }
    return stride;
  }

  // --- sums of products

  bool run_products() {
    auto x = operand(reduce_.arg(0).arg(0));
    auto y = operand(reduce_.arg(0).arg(1));
    if (reduce_->reduction != Reduction::Sum || !is_true(reduce_.arg(1)) || !x || !y) {
      return false;
    }
    auto left = strided(*x);
    auto right = left ? strided(*y) : std::nullopt;
    if (!right) {
      return false;
    }
    left_ = std::move(*left);
    right_ = std::move(*right);
    left_steps_ = steps_of(left_);
    right_steps_ = steps_of(right_);
    place_axes();
    batch(0, 0, right_points_);
    return true;
  }

  // An axis along which one operand rests belongs to the other. Along one where both move, values at which the left one is at
  // the same place (the outputs of a convolution's group) are together.
  void place_axes() {
    left_points_ = right_points_ = {{0, 0}};
    for (std::size_t axis = 0; axis < extents_.size(); ++axis) {
      std::vector<std::int64_t> values = all_values(static_cast<std::size_t>(extents_[axis]));
      if (!left_.moves(axis)) {
        right_points_ = extend(right_points_, right_.steps[axis], values, stride(axis));
      } else if (!right_.moves(axis)) {
        left_points_ = extend(left_points_, left_.steps[axis], values, stride(axis));
      } else {
        common_.push_back(axis);
      }
    }
  }

  void batch(std::size_t depth, std::int64_t left, const Points& right) {
    if (depth == common_.size()) {
      return multiply(left, right);
    }
    std::size_t axis = common_[depth];
    std::unordered_map<std::int64_t, std::vector<std::int64_t>> together;
    std::vector<std::int64_t> places;
    for (std::int64_t value : all_values(left_.steps[axis].size())) {
      std::int64_t place = left_.steps[axis][static_cast<std::size_t>(value)];
      if (together[place].empty()) {
        places.push_back(place);
      }
      together[place].push_back(value);
    }
    for (std::int64_t place : places) {
      batch(depth + 1, left + place, extend(right, right_.steps[axis], together[place], stride(axis)));
    }
  }

  void multiply(std::int64_t left, const Points& right) {
    BlockSide<T> x{left_.data + left, left_points_, left_steps_};
    BlockSide<T> y{right_.data, right, right_steps_};
    if (x.points.size() > y.points.size()) {
      sum_products(y, x, total_);
    } else {
      sum_products(x, y, total_);
    }
  }

  // --- one operand

  bool run_fold() {
    auto read = operand(reduce_.arg(0));
    if (!read) {
      return false;
    }
    if (!is_true(reduce_.arg(1))) {
      if (!is_true(read->guard)) {
        return false;
      }
      read->guard = reduce_.arg(1);
      read->otherwise = neutral();
    }
    return fold(*read);
  }

  double neutral() const {
    switch (reduce_->reduction) {
      case Reduction::Sum: return 0;
      case Reduction::Product: return 1;
      case Reduction::Max: return -INFINITY;
      case Reduction::Min: return INFINITY;
    }
    fault("a reduction is one of four");
  }

  bool fold(const Operand& operand) {
    auto read = strided(operand);
    if (!read) {
      return false;
    }
    Points points{{0, 0}};
    for (std::size_t axis = 0; axis < extents_.size(); ++axis) {
      points = extend(points, read->steps[axis], all_values(read->steps[axis].size()), stride(axis));
    }
    std::vector<std::int64_t> steps = steps_of(*read);
    fold_elements(reduce_->reduction, BlockSide<T>{read->data, points, steps}, total_);
    return true;
  }

  Term reduce_;
  const Extents& extents_;
  const TensorOfName& tensors_;
  IndexSpace space_;  // the target's indices, then the reduction's
  std::int64_t terms_ = 1;
  double* total_ = nullptr;
  StridedRead<T> left_;
  StridedRead<T> right_;
  std::vector<std::int64_t> left_steps_;
  std::vector<std::int64_t> right_steps_;
  Points left_points_;
  Points right_points_;
  std::vector<std::size_t> common_;
};

}  // namespace

std::optional<Tensor> run_blocked(Term reduce, std::span<const Symbol> indices, const Extents& extents,
                                  const TensorOfName& tensors) {
  auto total = BlockedReduction<float>(reduce, indices, extents, tensors).run();
  return total ? std::move(total) : BlockedReduction<double>(reduce, indices, extents, tensors).run();
}

// Its result, and while it runs a point for each element (twice, while the list grows by an axis) and for each term of a sum.
static std::int64_t bytes_meanwhile(Term reduce, const Extents& extents) {
  std::int64_t terms = 1;
  for (std::size_t k = 0; k < reduce->bound.size(); ++k) {
    auto extent = const_int(reduce.arg(k + 2));
    terms = extent && *extent > 0 && *extent <= kMostTerms / terms ? terms * *extent : kMostTerms;
  }
  constexpr auto kPoint = static_cast<std::int64_t>(sizeof(BlockPoint));
  std::int64_t results = std::min(element_count(extents).value_or(kMostResults), kMostResults);
  return results * (static_cast<std::int64_t>(sizeof(double)) + 2 * kPoint) + terms * 2 * kPoint;
}

Term with_blocked_reductions(Term value, std::span<const Symbol> indices, const Extents& extents,
                             const BlockedSurroundings& around) {
  std::unordered_map<Term, Term> replaced;
  auto walk = [&](auto& self, Term t) -> Term {
    if (t.sort() != Sort::Real || t.args().empty() || t.kind() == TermKind::Read) {
      return t;
    }
    if (auto found = replaced.find(t); found != replaced.end()) {
      return found->second;
    }
    Term result = t;
    if (t.kind() == TermKind::Reduce) {
      auto total = around.fits(bytes_meanwhile(t, extents)) ? run_blocked(t, indices, extents, around.tensors) : std::nullopt;
      if (total) {
        std::vector<Term> at;
        std::transform(indices.begin(), indices.end(), std::back_inserter(at), [](Symbol name) { return int_var(name); });
        result = read(around.keep(std::move(*total)), at);
      }
    } else {
      result = with_arguments(t, [&](Term arg) { return self(self, arg); });
    }
    replaced.emplace(t, result);
    return result;
  };
  return walk(walk, value);
}

}  // namespace vouch
