// Reductions over axes.
#include <fmt/format.h>

#include "graph/ops/operands.h"
#include "graph/ops/scalars.h"
#include "graph/ops/themes.h"

namespace vouch {
namespace {

// Which axes are reduced, and whether they stay as axes of size 1.
struct Reduced {
  std::vector<std::size_t> axes;
  bool keep = true;
};

// ONNX: axes as operand; none or an empty list mean all, or (noop_with_empty_axes) none: each element is then reduced by itself,
// so that squares, magnitudes, logarithms are still taken.
std::optional<Reduced> onnx_axes(OpContext& c) {
  std::vector<std::int64_t> axes;
  bool given = c.has(1);
  if (given) {
    axes = known_numbers(c, 1).value_or(axes);
  }
  Reduced reduced;
  reduced.keep = c.attr_int_value("keepdims") != 0;
  bool noop = c.attr_int_value("noop_with_empty_axes") != 0;
  if (axes.empty()) {
    for (std::size_t axis = 0; axis < c.rank(0) && !noop; ++axis) {
      axes.push_back(static_cast<std::int64_t>(axis));
    }
  }
  reduced.axes = normal_axes(c, axes, c.rank(0));
  return c.failed() ? std::nullopt : std::optional(reduced);
}

std::optional<Reduced> plain_axes(OpContext& c) {
  Reduced reduced;
  reduced.axes = normal_axes(c, c.attr_ints_value("axes"), c.rank(0));
  reduced.keep = c.attr_int_value("keepdims") != 0;
  return c.failed() ? std::nullopt : std::optional(reduced);
}

Terms reduced_extents(const Terms& from, const Reduced& reduced) {
  Terms out;
  for (std::size_t axis = 0; axis < from.size(); ++axis) {
    if (!contains(reduced.axes, axis)) {
      out.push_back(from[axis]);
    } else if (reduced.keep) {
      out.push_back(1);
    }
  }
  return out;
}

std::vector<BoundIndex> reduced_indices(const OpContext& c, const Reduced& reduced) {
  std::vector<BoundIndex> out;
  for (std::size_t axis : reduced.axes) {
    out.push_back(c.bound(fmt::format("k{}", axis), c.extent(0, axis)));
  }
  return out;
}

// The input's indices for index `i` of the result and `bound` of the reduction.
Terms input_indices(std::size_t rank, const Reduced& reduced, const Terms& i, const std::vector<BoundIndex>& bound) {
  Terms at;
  for (std::size_t axis = 0, kept = 0, k = 0; axis < rank; ++axis) {
    if (contains(reduced.axes, axis)) {
      at.push_back(int_var(bound[k++].name));
      kept += reduced.keep ? 1 : 0;
    } else {
      at.push_back(i[kept++]);
    }
  }
  return at;
}

Term product_of_sizes(const OpContext& c, const Reduced& reduced) {
  Term product = 1;
  for (std::size_t axis : reduced.axes) {
    product = product * c.extent(0, axis);
  }
  return product;
}

// Over no index it is the element.
Term over(Reduction reduction, const std::vector<BoundIndex>& bound, Term element) {
  return bound.empty() ? element : reduce(reduction, bound, bool_const(true), element);
}

void require_elements(OpContext& c, const Reduced& reduced) {
  for (std::size_t axis : reduced.axes) {
    c.require(ge(c.extent(0, axis), 1), fmt::format("axis {} must not be empty", axis));
  }
}

using Map = Term (*)(Term x);
using Finish = Term (*)(const OpContext& c, const Reduced& reduced, Term total);

// finish(reduction(k…) map(x[…]))
template <Reduction reduction>
void reduce_axes(OpContext& c, const std::optional<Reduced>& reduced, Map map, Finish finish) {
  if (!reduced || (reduction != Reduction::Max && reduction != Reduction::Min && !require_numeric(c, 0))) {
    return;
  }
  if (reduction == Reduction::Max || reduction == Reduction::Min) {
    require_elements(c, *reduced);
  }
  c.result(c.dtype(0), reduced_extents(c.extents(0), *reduced), [&](const Terms& i) {
    std::vector<BoundIndex> bound = reduced_indices(c, *reduced);
    Term element = map(c.read(0, input_indices(c.rank(0), *reduced, i, bound)));
    return finish(c, *reduced, over(reduction, bound, element));
  });
}

Term itself(Term x) { return x; }
Term magnitude(Term x) { return call(Fn::Abs, {x}); }
Term done(const OpContext&, const Reduced&, Term total) { return total; }
Term root(const OpContext&, const Reduced&, Term total) { return call(Fn::Sqrt, {total}); }
Term logarithm(const OpContext&, const Reduced&, Term total) { return call(Fn::Log, {total}); }

Term mean(const OpContext& c, const Reduced& reduced, Term total) {
  return reduced.axes.empty() ? total : quotient(c.dtype(0), total, real_of(product_of_sizes(c, reduced)));
}

template <Reduction reduction, Map map, Finish finish>
void define_reduction(OpContext& c) {
  reduce_axes<reduction>(c, onnx_axes(c), map, finish);
}

template <Reduction reduction, Map map, Finish finish>
void define_plain_reduction(OpContext& c) {
  reduce_axes<reduction>(c, plain_axes(c), map, finish);
}

void reduce_mean(OpContext& c, const std::optional<Reduced>& reduced) {
  if (reduced) {
    require_elements(c, *reduced);
  }
  reduce_axes<Reduction::Sum>(c, reduced, itself, mean);
}

void define_mean(OpContext& c) { reduce_mean(c, onnx_axes(c)); }
void define_plain_mean(OpContext& c) { reduce_mean(c, plain_axes(c)); }

// log(sum(exp(x))) = m + log(sum(exp(x - m))) with the maximum m, so that exp does not overflow.
void define_log_sum_exp(OpContext& c) {
  auto reduced = onnx_axes(c);
  if (!reduced || !require_float(c, 0)) {
    return;
  }
  require_elements(c, *reduced);
  Terms extents = reduced_extents(c.extents(0), *reduced);
  auto element = [&](const Terms& i, const std::vector<BoundIndex>& bound) {
    return c.read(0, input_indices(c.rank(0), *reduced, i, bound));
  };
  c.local("maximum", c.dtype(0), extents, [&](const Terms& i) {
    std::vector<BoundIndex> bound = reduced_indices(c, *reduced);
    return over(Reduction::Max, bound, element(i, bound));
  });
  c.result(c.dtype(0), extents, [&](const Terms& i) {
    std::vector<BoundIndex> bound = reduced_indices(c, *reduced);
    Term maximum = c.read_local("maximum", i);
    Term exponential = call(Fn::Exp, {element(i, bound) - maximum});
    return maximum + call(Fn::Log, {over(Reduction::Sum, bound, exponential)});
  });
}

// The position of the largest (smallest) element: the first, or (select_last_index) the last. NaN is larger, and smaller, than
// all numbers.
template <Reduction extremum>
void define_arg(OpContext& c) {
  Reduced reduced;
  reduced.axes = {c.normal_axis(c.attr_int_value("axis"), c.rank(0))};
  reduced.keep = c.attr_int_value("keepdims") != 0;
  bool last = c.attr_int_value("select_last_index") != 0;
  if (c.failed() || !require_numeric(c, 0)) {
    return;
  }
  require_elements(c, reduced);
  Terms extents = reduced_extents(c.extents(0), reduced);
  c.local("extremum", c.dtype(0), extents, [&](const Terms& i) {
    std::vector<BoundIndex> bound = reduced_indices(c, reduced);
    return reduce(extremum, bound, bool_const(true), c.read(0, input_indices(c.rank(0), reduced, i, bound)));
  });
  c.result(DType::Int64, extents, [&](const Terms& i) {
    std::vector<BoundIndex> bound = reduced_indices(c, reduced);
    Term element = c.read(0, input_indices(c.rank(0), reduced, i, bound));
    Term found = c.read_local("extremum", i);
    auto position = [&](Term guard) {
      return reduce(last ? Reduction::Max : Reduction::Min, bound, guard, real_of(int_var(bound[0].name)));
    };
    Term equal = position(real_eq(element, found));
    return is_float(c.dtype(0)) ? select(real_eq(found, found), equal, position(negate(real_eq(element, element)))) : equal;
  });
}

// y[…, i, …] = sum of x[…, k, …] for k <= i; exclusive: k < i; reverse: from the end.
void define_cum_sum(OpContext& c) {
  auto axes = known_numbers(c, 1);
  bool exclusive = c.attr_int_value("exclusive") != 0;
  bool reverse = c.attr_int_value("reverse") != 0;
  if (axes && axes->size() != 1) {
    c.fail("one axis is expected");
  }
  if (c.failed() || !require_numeric(c, 0)) {
    return;
  }
  std::size_t axis = c.normal_axis(axes->front(), c.rank(0));
  c.result(c.dtype(0), c.extents(0), [&](const Terms& i) {
    BoundIndex bound = c.bound("k", c.extent(0, axis));
    Term k = int_var(bound.name);
    Term guard = reverse ? (exclusive ? lt(i[axis], k) : le(i[axis], k)) : (exclusive ? lt(k, i[axis]) : le(k, i[axis]));
    Terms at = i;
    at[axis] = k;
    return reduce(Reduction::Sum, {bound}, guard, c.read(0, at));
  });
}

OpDef reduction_op(std::string_view name, void (*define)(OpContext&)) {
  return {.name = name,
          .operands = {{"x"}, {"axes", OperandKind::Optional, OperandDomain::Axes}},
          .attributes = {{.name = "keepdims", .otherwise = 1, .domain = AttrDomain::Flag},
                         {.name = "noop_with_empty_axes", .otherwise = 0, .domain = AttrDomain::Flag}},
          .define = define};
}

OpDef plain_reduction(std::string_view name, void (*define)(OpContext&)) {
  return {.name = name,
          .operands = {{"x"}},
          .attributes = {{.name = "axes", .type = AttrType::Ints, .domain = AttrDomain::Axes},
                         {.name = "keepdims", .otherwise = 0, .domain = AttrDomain::Flag}},
          .define = define};
}

OpDef arg_op(std::string_view name, void (*define)(OpContext&)) {
  return {.name = name,
          .operands = {{"x"}},
          .attributes = {{.name = "axis", .otherwise = 0, .domain = AttrDomain::Axis},
                         {.name = "keepdims", .otherwise = 1, .domain = AttrDomain::Flag},
                         {.name = "select_last_index", .otherwise = 0, .domain = AttrDomain::Flag}},
          .define = define};
}

}  // namespace

std::vector<OpDef> reduction_ops() {
  return {
      reduction_op("ReduceSum", define_reduction<Reduction::Sum, itself, done>),
      reduction_op("ReduceMean", define_mean),
      reduction_op("ReduceMax", define_reduction<Reduction::Max, itself, done>),
      reduction_op("ReduceMin", define_reduction<Reduction::Min, itself, done>),
      reduction_op("ReduceProd", define_reduction<Reduction::Product, itself, done>),
      reduction_op("ReduceL1", define_reduction<Reduction::Sum, magnitude, done>),
      reduction_op("ReduceL2", define_reduction<Reduction::Sum, square, root>),
      reduction_op("ReduceSumSquare", define_reduction<Reduction::Sum, square, done>),
      reduction_op("ReduceLogSum", define_reduction<Reduction::Sum, itself, logarithm>),
      reduction_op("ReduceLogSumExp", define_log_sum_exp),
      plain_reduction("reduce_sum", define_plain_reduction<Reduction::Sum, itself, done>),
      plain_reduction("reduce_mean", define_plain_mean),
      plain_reduction("reduce_max", define_plain_reduction<Reduction::Max, itself, done>),
      plain_reduction("reduce_min", define_plain_reduction<Reduction::Min, itself, done>),
      plain_reduction("reduce_prod", define_plain_reduction<Reduction::Product, itself, done>),
      arg_op("ArgMax", define_arg<Reduction::Max>),
      arg_op("ArgMin", define_arg<Reduction::Min>),
      {.name = "CumSum",
       .operands = {{"x"}, {"axis", OperandKind::Required, OperandDomain::Axes}},
       .attributes = {{.name = "exclusive", .otherwise = 0, .domain = AttrDomain::Flag},
                      {.name = "reverse", .otherwise = 0, .domain = AttrDomain::Flag}},
       .define = define_cum_sum},
  };
}

}  // namespace vouch
