#include "graph/ops/moments.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/ops/scalars.h"

namespace vouch {

Moments::Moments(OpContext& c, std::vector<std::size_t> axes, DType dtype)
    : c_(c), axes_(std::move(axes)), dtype_(dtype), extents_(c.extents(0)) {
  for (std::size_t axis : axes_) {
    c.require(ge(extents_[axis], 1), "the axes that are normalised must not be empty");
    count_ = count_ * extents_[axis];
    extents_[axis] = 1;
  }
  local_mean("moment_mean", [&](const Terms& at) { return c_.read(0, at); });
  local_mean("moment_variance", [&](const Terms& at) { return square(c_.read(0, at) - mean(at)); });
}

Term Moments::mean(const Terms& i) const { return c_.read_local("moment_mean", flattened(i)); }
Term Moments::variance(const Terms& i) const { return c_.read_local("moment_variance", flattened(i)); }

Terms Moments::flattened(Terms i) const {
  for (std::size_t axis : axes_) {
    i[axis] = 0;
  }
  return i;
}

void Moments::local_mean(std::string_view name, const std::function<Term(const Terms&)>& element) {
  c_.local(name, dtype_, extents_, [&](const Terms& i) {
    std::vector<BoundIndex> bound;
    Terms at = i;
    for (std::size_t axis : axes_) {
      bound.push_back(c_.bound(fmt::format("k{}", axis), c_.extent(0, axis)));
      at[axis] = int_var(bound.back().name);
    }
    Term total = bound.empty() ? element(at) : reduce(Reduction::Sum, bound, bool_const(true), element(at));
    return total / real_of(count_);
  });
}

std::optional<DType> stash_dtype(OpContext& c, std::string_view attribute) {
  switch (c.attr_int_value(attribute)) {
    case 1: return DType::Float32;
    case 10: return DType::Float16;
    case 11: return DType::Float64;
    case 16: return DType::BFloat16;
    default: c.fail(std::string(attribute) + " must be 1, 10, 11 or 16"); return std::nullopt;
  }
}

DType moment_dtype(const OpContext& c, DType stash) { return c.dtype(0) == DType::Float64 ? DType::Float64 : stash; }

Term inverse_deviation(Term variance, Term epsilon) { return real(1) / call(Fn::Sqrt, {variance + epsilon}); }

std::vector<std::size_t> all_axes_but(std::size_t rank, std::initializer_list<std::size_t> kept) {
  std::vector<std::size_t> out;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (std::find(kept.begin(), kept.end(), axis) == kept.end()) {
      out.push_back(axis);
    }
  }
  return out;
}

// Operands that are vectors along one axis of operand 0.
bool require_vectors(OpContext& c, std::initializer_list<std::size_t> operands, std::size_t axis) {
  for (std::size_t operand : operands) {
    if (!require_float(c, operand) || !require_rank(c, operand, 1)) {
      return false;
    }
    c.require(eq(c.extent(operand, 0), c.extent(0, axis)),
              fmt::format("{} has one element for each channel", c.def().operands[operand].name));
  }
  return !c.failed();
}

}  // namespace vouch
