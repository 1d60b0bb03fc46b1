// Parts of a tensor: slices with fixed and with computed starts, reversal.
#include <fmt/format.h>

#include <limits>

#include "graph/ops/operands.h"
#include "graph/ops/scalars.h"
#include "graph/ops/themes.h"

namespace vouch {
namespace {

// Along one axis, position i of the result is position start + i * step of the input.
struct AxisSlice {
  Term start;
  Term step;
  Term extent;
};

void result_slices(OpContext& c, const std::vector<AxisSlice>& slices) {
  Terms extents;
  for (const AxisSlice& slice : slices) {
    extents.push_back(slice.extent);
  }
  c.result(c.dtype(0), extents, [&](const Terms& i) {
    Terms at;
    for (std::size_t axis = 0; axis < slices.size(); ++axis) {
      at.push_back(slices[axis].start + i[axis] * slices[axis].step);
    }
    return c.read(0, at);
  });
}

// Is this number larger than the size `n`? Bounds beyond any size are written as the largest 64-bit integer, which no size is, or
// as the largest one of 32 bits: then a size that is not known is supposed to be smaller.
bool is_beyond(OpContext& c, std::int64_t bound, Term n) {
  if (is_const(n)) {
    return Rational(bound) > n->value;
  }
  if (bound < std::numeric_limits<std::int32_t>::max()) {
    return false;
  }
  if (bound != std::numeric_limits<std::int64_t>::max()) {
    c.suppose(lt(n, bound), "a size that is no number is less than the large number that stands for its end");
  }
  return true;
}

// A bound as the user gives it, as a position in [low, high]; a negative one counts from the end.
Term position_of(OpContext& c, Term bound, Term n, Term low, Term high) {
  const std::int64_t known = const_int(bound).value_or(0);
  if (known > 0 && is_beyond(c, known, n)) {
    return high;
  }
  if (known < 0 && is_beyond(c, -std::max(known, -std::numeric_limits<std::int64_t>::max()), n)) {
    return low == Term(0) && high == n - 1 ? int_min(low, high) : low;  // an empty axis has no first position
  }
  if (bound == Term(0) && low == Term(0) && high == n) {
    return 0;
  }
  return clamp_index(int_select(le(0, bound), bound, bound + n), low, high);
}

// `-t`: who goes through all steps writes negative ones so.
bool is_negated(Term step) { return step.kind() == TermKind::IntMul && step.args().size() == 2 && const_int(step.arg(0)) == -1; }

bool stands_for_an_end(Term bound) {
  auto known = const_int(bound);
  return known == std::numeric_limits<std::int64_t>::max() || known == std::numeric_limits<std::int32_t>::max();
}

AxisSlice onnx_slice(OpContext& c, Term start, Term end, Term step, Term n) {
  auto known = const_int(step);
  bool forward = known ? *known > 0 : !is_negated(step);
  if (!known) {
    c.suppose(forward ? ge(step, 1) : le(step, -1), "a step that is no number is positive, or negative if it is written so");
  }
  if (known == 0 || c.failed()) {
    c.fail("a step must not be 0");
    return {0, 1, 0};
  }
  if (!forward && stands_for_an_end(end)) {
    c.fail(
        "backwards to the largest integer there is nothing, or all that lies before: ONNX has the one, ONNX Runtime the other");
    return {0, 1, 0};
  }
  Term first = forward ? position_of(c, start, n, 0, n) : position_of(c, start, n, 0, n - 1);
  Term last = forward ? position_of(c, end, n, 0, n) : position_of(c, end, n, -1, n - 1);
  Term span = forward ? last - first : first - last;
  Term stride = forward ? step : -step;
  return {first, step, settled(c, ceil_div(span == n ? n : int_max(span, 0), stride))};
}

struct SliceLists {
  Terms starts;
  Terms ends;
  Terms steps;
  std::vector<std::size_t> axes;
};

std::optional<SliceLists> slice_lists(OpContext& c) {
  auto starts = list_terms(c, 1);
  auto ends = starts ? list_terms(c, 2) : std::nullopt;
  if (!ends) {
    return std::nullopt;
  }
  SliceLists lists{*starts, *ends, Terms(starts->size(), Term(1)), {}};
  std::vector<std::int64_t> axes;
  for (std::size_t k = 0; k < starts->size(); ++k) {
    axes.push_back(static_cast<std::int64_t>(k));
  }
  if (c.has(3)) {
    axes = known_numbers(c, 3).value_or(axes);
  }
  if (c.has(4)) {
    lists.steps = known_terms(c, 4).value_or(lists.steps);
  }
  if (lists.ends.size() != axes.size() || starts->size() != axes.size() || lists.steps.size() != axes.size()) {
    c.fail("starts, ends, axes and steps must have one length");
  }
  (void)normal_axes(c, axes, c.rank(0));
  for (std::size_t k = 0; k < axes.size() && !c.failed(); ++k) {
    lists.axes.push_back(c.normal_axis(axes[k], c.rank(0)));
  }
  return c.failed() ? std::nullopt : std::optional(std::move(lists));
}

void define_slice(OpContext& c) {
  auto lists = slice_lists(c);
  if (!lists) {
    return;
  }
  std::vector<AxisSlice> slices;
  for (Term extent : c.extents(0)) {
    slices.push_back({0, 1, extent});
  }
  for (std::size_t k = 0; k < lists->axes.size(); ++k) {
    Term n = c.extent(0, lists->axes[k]);
    slices[lists->axes[k]] = onnx_slice(c, lists->starts[k], lists->ends[k], lists->steps[k], n);
  }
  if (!c.failed()) {
    result_slices(c, slices);
  }
}

// slice {starts, limits, strides}: 0 <= start <= limit <= n on every axis, strides positive.
void define_plain_slice(OpContext& c) {
  std::size_t rank = c.rank(0);
  Terms starts = list_or_each(c, "starts", rank);
  Terms limits = list_or_each(c, "limits", rank);
  Terms strides = list_or_each(c, "strides", rank);
  std::vector<AxisSlice> slices;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    c.require(ge(starts[axis], 0), "starts must not be negative");
    c.require(le(starts[axis], limits[axis]), "starts must not be above limits");
    c.require(le(limits[axis], c.extent(0, axis)), "limits must not be above the sizes");
    c.require(ge(strides[axis], 1), "strides must be at least 1");
    if (c.failed()) {
      return;
    }
    slices.push_back({starts[axis], strides[axis], ceil_div(limits[axis] - starts[axis], strides[axis])});
  }
  result_slices(c, slices);
}

// --- starts that are data: clamped so that the slice fits

bool require_starts(OpContext& c, std::size_t operand) {
  if (!require_like_items(c, operand)) {
    return false;
  }
  if (c.item_count(operand) != c.rank(0)) {
    c.fail(fmt::format("{} starts for rank {}", c.item_count(operand), c.rank(0)));
  }
  for (const Type& item : c.type(operand).items()) {
    if (!is_integer(item.dtype()) || item.rank() != 0) {
      c.fail(fmt::format("a start must be an integer scalar, found {}", item.text()));
    }
  }
  return !c.failed();
}

Term clamped_start(const OpContext& c, std::size_t operand, std::size_t axis, Term size) {
  return clamp_index(int_of(c.read_item(operand, axis, {})), 0, c.extent(0, axis) - size);
}

void define_dynamic_slice(OpContext& c) {
  Terms sizes = list_or_each(c, "slice_sizes", c.rank(0));
  if (c.failed() || !require_starts(c, 1)) {
    return;
  }
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    c.require(in_range(sizes[axis], c.extent(0, axis) + 1), "slice_sizes must fit the input");
  }
  c.result(c.dtype(0), sizes, [&](const Terms& i) {
    Terms at;
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
      at.push_back(clamped_start(c, 1, axis, sizes[axis]) + i[axis]);
    }
    return c.read(0, at);
  });
}

void define_dynamic_update_slice(OpContext& c) {
  if (!require_same_dtype(c, 0, 1) || !require_rank(c, 1, c.rank(0)) || !require_starts(c, 2)) {
    return;
  }
  for (std::size_t axis = 0; axis < c.rank(0); ++axis) {
    c.require(le(c.extent(1, axis), c.extent(0, axis)), "the update must fit the input");
  }
  c.result(c.dtype(0), c.extents(0), [&](const Terms& i) {
    Terms at;
    Terms guards;
    for (std::size_t axis = 0; axis < c.rank(0); ++axis) {
      at.push_back(i[axis] - clamped_start(c, 2, axis, c.extent(1, axis)));
      guards.push_back(in_range(at.back(), c.extent(1, axis)));
    }
    return select(all_of(guards), c.read(1, at), c.read(0, i));
  });
}

void define_reverse(OpContext& c) {
  std::vector<std::size_t> axes = normal_axes(c, c.attr_ints_value("axes"), c.rank(0));
  if (c.failed()) {
    return;
  }
  c.result(c.dtype(0), c.extents(0), [&](const Terms& i) {
    Terms at = i;
    for (std::size_t axis : axes) {
      at[axis] = c.extent(0, axis) - 1 - i[axis];
    }
    return c.read(0, at);
  });
}

}  // namespace

std::vector<OpDef> slicing_ops() {
  auto each = [](std::string_view name) { return AttrDef{.name = name, .type = AttrType::Ints, .length = AttrLength::Rank}; };
  AttrDef strides = each("strides");
  strides.otherwise = Absent{};
  strides.each_if_absent = 1;
  return {
      {.name = "Slice",
       .operands = {{"x"},
                    {"starts", OperandKind::Required, OperandDomain::List},
                    {"ends", OperandKind::Required, OperandDomain::List},
                    {"axes", OperandKind::Optional, OperandDomain::OrderedAxes},
                    {"steps", OperandKind::Optional, OperandDomain::Steps}},
       .traits = {.lists_alike = true},
       .define = define_slice},
      {.name = "slice",
       .operands = {{"x"}},
       .attributes = {each("starts"), each("limits"), strides},
       .define = define_plain_slice},
      {.name = "dynamic_slice",
       .operands = {{"x"}, {"starts", OperandKind::Tuple}},
       .attributes = {each("slice_sizes")},
       .define = define_dynamic_slice},
      {.name = "dynamic_update_slice",
       .operands = {{"x"}, {"update"}, {"starts", OperandKind::Tuple}},
       .define = define_dynamic_update_slice},
      {.name = "reverse",
       .operands = {{"x"}},
       .attributes = {{.name = "axes", .type = AttrType::Ints, .domain = AttrDomain::Axes}},
       .define = define_reverse},
  };
}

}  // namespace vouch
