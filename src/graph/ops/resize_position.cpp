#include "graph/ops/resize_position.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "graph/factors.h"
#include "graph/ops/scalars.h"

namespace vouch {
namespace {

// --- which axes, and how far

std::vector<std::size_t> listed_axes(OpContext& c, std::size_t count) {
  std::vector<std::size_t> axes;
  if (c.has_attr("axes")) {
    std::vector<std::int64_t> given = c.attr_ints_value("axes");
    (void)normal_axes(c, given, c.rank(0));
    for (std::int64_t axis : given) {
      axes.push_back(c.normal_axis(axis, c.rank(0)));
    }
  } else {
    for (std::size_t axis = 0; axis < c.rank(0); ++axis) {
      axes.push_back(axis);
    }
  }
  if (axes.size() != count && !c.failed()) {
    c.fail(fmt::format("{} scales or sizes for {} axes", count, axes.size()));
  }
  return axes;
}

// A number, or a quotient of whole numbers that are open: the call has failed if it is neither.
std::optional<std::pair<Term, Term>> factor_of(OpContext& c, Term scale) {
  bool is_quotient =
      scale.kind() == TermKind::RealDiv && scale.arg(0).kind() == TermKind::RealOf && scale.arg(1).kind() == TermKind::RealOf;
  if (is_quotient) {
    Term up = scale.arg(0).arg(0);
    Term down = scale.arg(1).arg(0);
    c.require(both(ge(up, 1), ge(down, 1)), "scales must be positive numbers");
    return std::pair(up, down);
  }
  bool is_number = scale.kind() == TermKind::RealConst;
  if (is_number && scale->value <= 0) {
    c.fail("scales must be positive numbers");
    return std::nullopt;
  }
  auto factor = is_number ? simple_fraction(scale->value) : std::nullopt;
  if (!factor) {
    c.fail_undecided("scales must be known, and simple fractions");
    return std::nullopt;
  }
  return std::pair(int_const(Integer(numerator(*factor))), int_const(Integer(denominator(*factor))));
}

std::vector<ResizedAxis> axes_by_scales(OpContext& c, std::size_t operand) {
  const Terms& scales = *c.contents(operand);
  std::vector<std::size_t> axes = listed_axes(c, scales.size());
  std::vector<ResizedAxis> out;
  for (std::size_t k = 0; k < scales.size() && !c.failed(); ++k) {
    auto factor = factor_of(c, scales[k]);
    if (!factor) {
      return {};
    }
    auto [up, down] = *factor;
    Term n = c.extent(0, axes[k]);
    out.push_back({axes[k], n, floor_div(n * up, down), up, down});
  }
  return out;
}

std::vector<ResizedAxis> axes_by_sizes(OpContext& c, const Terms& sizes) {
  std::vector<std::size_t> axes = listed_axes(c, sizes.size());
  std::vector<ResizedAxis> out;
  for (std::size_t k = 0; k < sizes.size() && !c.failed(); ++k) {
    Term n = c.extent(0, axes[k]);
    c.require(ge(sizes[k], 1), "sizes must be at least 1");
    c.require(ge(n, 1), "an empty axis has nothing to interpolate");
    out.push_back({axes[k], n, sizes[k], sizes[k], n});
  }
  return out;
}

// One factor for all axes: the smallest (not_larger) or the largest of size / input.
void keep_aspect_ratio(OpContext& c, std::vector<ResizedAxis>& axes, bool smallest) {
  std::optional<Rational> factor;
  for (const ResizedAxis& axis : axes) {
    auto up = const_int(axis.up);
    auto down = const_int(axis.down);
    if (!up || !down) {
      return c.fail_undecided("keep_aspect_ratio_policy needs known sizes");
    }
    Rational own(*up, *down);
    factor = !factor ? own : smallest ? std::min(*factor, own) : std::max(*factor, own);
  }
  for (ResizedAxis& axis : axes) {
    axis.up = int_const(Integer(numerator(*factor)));
    axis.down = int_const(Integer(denominator(*factor)));
    axis.output = floor_div(Term(2) * axis.input * axis.up + axis.down, Term(2) * axis.down);
  }
}

bool is_list(OpContext& c, std::size_t operand) {
  return c.has(operand) && !(c.rank(operand) == 1 && const_int(c.extent(operand, 0)) == 0);
}

// The region of interest: begins of the axes, then ends, as parts of the axes' lengths.
void add_region(OpContext& c, std::vector<ResizedAxis>& axes) {
  const Terms* roi = c.has(1) ? c.contents(1) : nullptr;
  bool known = roi && roi->size() == 2 * axes.size() && std::all_of(roi->begin(), roi->end(), is_const);
  if (!known) {
    return c.fail_undecided("tf_crop_and_resize needs a known roi with two numbers for each axis");
  }
  for (std::size_t k = 0; k < axes.size(); ++k) {
    axes[k].roi_begin = (*roi)[k]->value;
    axes[k].roi_end = (*roi)[k + axes.size()]->value;
  }
}

// begin * (n - 1) + i * (end - begin) * (n - 1) / (output - 1), or the middle for an output of 1.
Fraction cropped_position(const ResizedAxis& axis, Term i) {
  Integer scale = denominator(axis.roi_begin) * denominator(axis.roi_end);
  Term begin = int_const(Integer(numerator(axis.roi_begin * Rational(scale))));
  Term end = int_const(Integer(numerator(axis.roi_end * Rational(scale))));
  Term steps = axis.output - 1;
  Term spread = begin * steps + i * (end - begin);
  Term numerator = (axis.input - 1) * int_select(ge(steps, 1), Term(2) * spread, begin + end);
  return {numerator, Term(2) * int_const(scale) * int_max(steps, 1)};
}

// Modes that ask for the length of the result, or whether it is 1: ONNX's text and ONNX Runtime round it, ONNX's reference does
// not. (Of align_corners, ONNX's data decide.)
void require_one_length(OpContext& c, const std::vector<ResizedAxis>& axes, const std::string& mode) {
  for (const ResizedAxis& axis : axes) {
    Term whole = divides(axis.down, axis.input * axis.up);
    Term one_reading = mode == kCropMode              ? whole
                       : mode == "pytorch_half_pixel" ? either(whole, lt(1, axis.output))
                                                      : bool_const(true);
    require_one_reading(c, one_reading, "of a length that is no whole number ONNX's text and its reference differ");
  }
}

}  // namespace

std::vector<ResizedAxis> scaled_axes(OpContext& c, std::size_t scales) {
  if (!c.contents(scales)) {
    c.fail_undecided("the scales must be known");
    return {};
  }
  return axes_by_scales(c, scales);
}

std::vector<ResizedAxis> resized_axes(OpContext& c) {
  bool by_sizes = is_list(c, 3);
  if (by_sizes == is_list(c, 2)) {
    c.fail("either scales or sizes are needed");
    return {};
  }
  auto sizes = by_sizes ? known_terms(c, 3) : std::nullopt;
  std::vector<ResizedAxis> axes = !by_sizes ? scaled_axes(c, 2) : sizes ? axes_by_sizes(c, *sizes) : std::vector<ResizedAxis>();
  std::string policy = c.attr_string("keep_aspect_ratio_policy");
  if (by_sizes && policy != "stretch" && !c.failed()) {
    keep_aspect_ratio(c, axes, policy == "not_larger");
  }
  const std::string mode = c.attr_string("coordinate_transformation_mode");
  if (mode == kCropMode && !c.failed()) {
    add_region(c, axes);
  }
  require_one_length(c, axes, mode);
  return axes;
}

Fraction source_position(const std::string& mode, const ResizedAxis& axis, Term i) {
  Term two = 2;
  if (mode == "asymmetric") {
    return {i * axis.down, axis.up};
  }
  if (mode == kCropMode) {
    return cropped_position(axis, i);
  }
  if (mode == "align_corners") {
    // The result's length is input * up / down, which the conformance cases do not round.
    bool whole = is_true(divides(axis.down, axis.input * axis.up));
    return whole ? Fraction{i * (axis.input - 1), int_max(axis.output - 1, 1)}
                 : Fraction{i * (axis.input - 1) * axis.down, int_max(axis.input * axis.up - axis.down, 1)};
  }
  if (mode == "tf_half_pixel_for_nn") {
    return {(two * i + 1) * axis.down, two * axis.up};
  }
  Term centred = (two * i + 1) * axis.down - axis.up;  // (i + 1/2) / scale - 1/2
  if (mode == "pytorch_half_pixel") {
    return {int_select(lt(1, axis.output), centred, 0), two * axis.up};
  }
  if (mode == "half_pixel_symmetric") {
    // What rounding the output size cut off is taken from both ends: + (input - output / scale) / 2.
    return {centred + axis.input * axis.up - axis.output * axis.down, two * axis.up};
  }
  return {centred, two * axis.up};
}

Term rounded(const std::string& mode, const Fraction& f) {
  Term two = 2;
  if (mode == "floor") {
    return floor_div(f.numerator, f.denominator);
  }
  if (mode == "ceil") {
    return ceil_div(f.numerator, f.denominator);
  }
  if (mode == "round_prefer_ceil") {
    return floor_div(two * f.numerator + f.denominator, two * f.denominator);
  }
  return ceil_div(two * f.numerator - f.denominator, two * f.denominator);
}

}  // namespace vouch
