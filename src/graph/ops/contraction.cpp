// dot_general: products summed over axes that are named.
#include <fmt/format.h>

#include <algorithm>

#include "graph/ops/einsum.h"
#include "graph/ops/operands.h"
#include "graph/ops/themes.h"

namespace vouch {
namespace {

// The result's axes: batch axes of both, then the free axes of the left, then those of the right.

using Axes = std::vector<std::size_t>;

Axes listed_axes(OpContext& c, std::string_view name, std::size_t rank) {
  Axes out;
  for (std::int64_t axis : c.has_attr(name) ? c.attr_ints_value(name) : std::vector<std::int64_t>()) {
    if (axis < 0 || static_cast<std::size_t>(axis) >= rank) {
      c.fail(fmt::format("{} in {} is no axis of rank {}", axis, name, rank));
      return {};
    }
    out.push_back(static_cast<std::size_t>(axis));
  }
  return out;
}

struct DotSide {
  std::size_t operand;
  Axes batch;
  Axes contracted;
  Axes free;
};

DotSide dot_side(OpContext& c, std::size_t operand, std::string_view batch, std::string_view contracted) {
  std::size_t rank = c.rank(operand);
  DotSide side{operand, listed_axes(c, batch, rank), listed_axes(c, contracted, rank), {}};
  for (std::size_t axis = 0; axis < rank; ++axis) {
    auto uses =
        std::count(side.batch.begin(), side.batch.end(), axis) + std::count(side.contracted.begin(), side.contracted.end(), axis);
    if (uses > 1) {
      c.fail(fmt::format("axis {} of {} is named twice", axis, c.def().operands[operand].name));
    }
    if (uses == 0) {
      side.free.push_back(axis);
    }
  }
  return side;
}

void require_paired(OpContext& c, const Axes& left, const Axes& right, std::string_view what) {
  if (left.size() != right.size()) {
    return c.fail(fmt::format("{} and {} {} axes", left.size(), right.size(), what));
  }
  for (std::size_t k = 0; k < left.size(); ++k) {
    c.require(eq(c.extent(0, left[k]), c.extent(1, right[k])), fmt::format("{} axes must have equal sizes", what));
  }
}

Term read_side(const OpContext& c, const DotSide& side, const Terms& i, std::size_t first_free,
               const std::vector<BoundIndex>& bound) {
  Terms at(c.rank(side.operand), Term(0));
  for (std::size_t k = 0; k < side.batch.size(); ++k) {
    at[side.batch[k]] = i[k];
  }
  for (std::size_t k = 0; k < side.contracted.size(); ++k) {
    at[side.contracted[k]] = int_var(bound[k].name);
  }
  for (std::size_t k = 0; k < side.free.size(); ++k) {
    at[side.free[k]] = i[first_free + k];
  }
  return c.read(side.operand, at);
}

void define_dot_general(OpContext& c) {
  DotSide left = dot_side(c, 0, "lhs_batch_dimensions", "lhs_contracting_dimensions");
  DotSide right = dot_side(c, 1, "rhs_batch_dimensions", "rhs_contracting_dimensions");
  if (c.failed() || !require_same_dtype(c, 0, 1) || !require_numeric(c, 0)) {
    return;
  }
  require_paired(c, left.batch, right.batch, "batch");
  require_paired(c, left.contracted, right.contracted, "contracting");
  if (c.failed()) {
    return;
  }
  Terms extents;
  for (std::size_t axis : left.batch) {
    extents.push_back(c.extent(0, axis));
  }
  for (const DotSide* side : {&left, &right}) {
    for (std::size_t axis : side->free) {
      extents.push_back(c.extent(side->operand, axis));
    }
  }
  c.result(c.dtype(0), extents, [&](const Terms& i) {
    std::vector<BoundIndex> bound;
    for (std::size_t k = 0; k < left.contracted.size(); ++k) {
      bound.push_back(c.bound(fmt::format("k{}", k), c.extent(0, left.contracted[k])));
    }
    std::size_t first = left.batch.size();
    Term product = read_side(c, left, i, first, bound) * read_side(c, right, i, first + left.free.size(), bound);
    return bound.empty() ? product : reduce(Reduction::Sum, bound, bool_const(true), product);
  });
}

}  // namespace

std::vector<OpDef> contraction_ops() {
  auto axes = [](std::string_view name) {
    return AttrDef{.name = name, .type = AttrType::Ints, .otherwise = Absent{}, .domain = AttrDomain::PlainAxes};
  };
  return {
      {.name = "dot_general",
       .operands = {{"lhs"}, {"rhs"}},
       .attributes = {axes("lhs_batch_dimensions"), axes("lhs_contracting_dimensions"), axes("rhs_batch_dimensions"),
                      axes("rhs_contracting_dimensions")},
       .define = define_dot_general},
      einsum_op(),
  };
}

}  // namespace vouch
