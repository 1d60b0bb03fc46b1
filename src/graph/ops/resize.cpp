// Resize: y[i…] = sum(taps t…) weight(t, fraction)… * x[clamp(floor(position) + t)…], or the nearest element.
#include "graph/ops/resize.h"

#include <fmt/format.h>

#include "graph/ops/resize_position.h"
#include "graph/ops/scalars.h"

namespace vouch {
namespace {

// How the elements of the result follow from those of the input.
struct Form {
  std::string mode;
  std::string position;  // coordinate_transformation_mode
  std::string rounding;  // nearest_mode
  Term cubic = real(0);
  bool exclude_outside = false;
  Term outside = real(0);  // of tf_crop_and_resize
};

// Whether the axis stays as it is, whatever its positions would be rounded to.
Term stays(const Form& form, const ResizedAxis& axis) {
  return form.position == kCropMode ? bool_const(false) : eq(axis.up, axis.down);
}

// Whether all positions lie in the input; tf_crop_and_resize has a value for the others.
Term is_covered(const std::vector<ResizedAxis>& axes, const Terms& i) {
  Terms guards;
  for (const ResizedAxis& axis : axes) {
    Fraction source = source_position(std::string(kCropMode), axis, i[axis.axis]);
    guards.push_back(le(0, source.numerator));
    guards.push_back(le(source.numerator, (axis.input - 1) * source.denominator));
  }
  return all_of(guards);
}

// --- interpolation

// The weight of tap t (0 or 1) at the fraction f between the two taps.
Term linear_weight(Term t, Term f) { return select(eq(t, 0), real(1) - f, f); }

// Of tap t = 0…3 at distance |f + 1 - t|: Keys' cubic with coefficient a.
Term cubic_weight(Term t, Term f, Term a) {
  Term d = call(Fn::Abs, {f + real(1) - real_of(t)});
  Term near = ((a + real(2)) * d - (a + real(3))) * d * d + real(1);
  Term far = ((a * d - real(5) * a) * d + real(8) * a) * d - real(4) * a;
  return select(either(eq(t, 1), eq(t, 2)), near, far);
}

struct Taps {
  std::vector<BoundIndex> bound;
  Terms at;
  Term weight;
  Term inside = bool_const(true);
  Term taken = bool_const(true);  // of an axis that stays there is one
};

Taps taps_of(const OpContext& c, const Form& form, const std::vector<ResizedAxis>& axes, const Terms& i) {
  Taps taps{{}, i, real(1)};
  const bool cubic = form.mode == "cubic";
  for (const ResizedAxis& axis : axes) {
    const Term same = stays(form, axis);
    if (is_true(same)) {
      continue;
    }
    Fraction source = source_position(form.position, axis, i[axis.axis]);
    Term whole = floor_div(source.numerator, source.denominator);
    Term fraction = real_of(floor_mod(source.numerator, source.denominator)) / real_of(source.denominator);
    taps.bound.push_back(c.bound(fmt::format("t{}", axis.axis), cubic ? 4 : 2));
    Term t = int_var(taps.bound.back().name);
    Term position = cubic ? whole + t - 1 : whole + t;
    Term weight = cubic ? cubic_weight(t, fraction, form.cubic) : linear_weight(t, fraction);
    weight = select(same, real(1), weight);
    taps.weight = is_real(taps.weight, 1) ? weight : taps.weight * weight;
    taps.at[axis.axis] = int_select(same, i[axis.axis], clamp_index(position, 0, axis.input - 1));
    taps.inside = both(taps.inside, either(same, in_range(position, axis.input)));
    taps.taken = both(taps.taken, either(negate(same), eq(t, 0)));
  }
  return taps;
}

Term interpolated(const OpContext& c, const Form& form, const std::vector<ResizedAxis>& axes, const Terms& i) {
  Taps taps = taps_of(c, form, axes, i);
  const bool exclude_outside = form.mode == "cubic" && form.exclude_outside;
  if (taps.bound.empty()) {
    return c.read(0, i);
  }
  Term weight = exclude_outside ? select(taps.inside, taps.weight, real(0)) : taps.weight;
  Term sum = reduce(Reduction::Sum, taps.bound, taps.taken, weight * c.read(0, taps.at));
  return exclude_outside ? sum / reduce(Reduction::Sum, taps.bound, taps.taken, weight) : sum;
}

Term nearest(const OpContext& c, const Form& form, const std::vector<ResizedAxis>& axes, const Terms& i) {
  Terms at = i;
  for (const ResizedAxis& axis : axes) {
    const Term same = stays(form, axis);
    if (!is_true(same)) {
      Fraction source = source_position(form.position, axis, i[axis.axis]);
      at[axis.axis] = int_select(same, i[axis.axis], clamp_index(rounded(form.rounding, source), 0, axis.input - 1));
    }
  }
  return c.read(0, at);
}

void give_resized(OpContext& c, const Form& form, const std::vector<ResizedAxis>& axes) {
  if (c.failed() || (form.mode != "nearest" && !require_numeric(c, 0))) {
    return;
  }
  Terms extents = c.extents(0);
  for (const ResizedAxis& axis : axes) {
    extents[axis.axis] = axis.output;
    c.require(ge(axis.output, 1), "the result must not be empty");
  }
  c.result(c.dtype(0), extents, [&](const Terms& i) {
    Term value = form.mode == "nearest" ? nearest(c, form, axes, i) : interpolated(c, form, axes, i);
    return form.position == kCropMode ? select(is_covered(axes, i), value, form.outside) : value;
  });
}

void define_resize(OpContext& c) {
  if (c.attr_int_value("antialias") != 0) {
    return c.fail_undecided("antialias is not supported");
  }
  std::vector<ResizedAxis> axes = resized_axes(c);
  give_resized(c,
               {.mode = c.attr_string("mode"),
                .position = c.attr_string("coordinate_transformation_mode"),
                .rounding = c.attr_string("nearest_mode"),
                .cubic = c.attr_float("cubic_coeff_a"),
                .exclude_outside = c.attr_int_value("exclude_outside") != 0,
                .outside = c.attr_float("extrapolation_value")},
               axes);
}

// Positions are scaled about the origin, and rounded down. Of fewer elements ONNX Runtime rounds them up.
void define_earlier_resize(OpContext& c) {
  std::vector<ResizedAxis> axes = scaled_axes(c, 1);
  for (const ResizedAxis& axis : axes) {
    if (c.attr_string("mode") == "nearest") {
      require_one_reading(c, either(ge(axis.up, axis.down), eq(axis.up, 1)),
                          "which of two elements is the nearest, where there are fewer of them, is read in two ways");
    }
  }
  give_resized(c, {.mode = c.attr_string("mode"), .position = "asymmetric", .rounding = "floor"}, axes);
}

AttrDef choice(std::string_view name, std::string_view otherwise, std::vector<std::string_view> choices) {
  return {.name = name, .type = AttrType::String, .otherwise = otherwise, .choices = std::move(choices)};
}

}  // namespace

// The region of interest serves tf_crop_and_resize alone; otherwise it may be given and is not read.
OpDef resize_op() {
  return {
      .name = "Resize",
      .operands = {{"x"},
                   {"roi", OperandKind::Optional},
                   {"scales", OperandKind::Optional},
                   {"sizes", OperandKind::Optional, OperandDomain::List}},
      .attributes = {{.name = "antialias", .otherwise = 0, .domain = AttrDomain::Flag},
                     {.name = "axes", .type = AttrType::Ints, .otherwise = Absent{}, .domain = AttrDomain::OrderedAxes},
                     choice("coordinate_transformation_mode", "half_pixel",
                            {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric",
                             "tf_half_pixel_for_nn", kCropMode}),
                     {.name = "cubic_coeff_a", .type = AttrType::Float, .otherwise = -0.75},
                     {.name = "exclude_outside", .otherwise = 0, .domain = AttrDomain::Flag},
                     {.name = "extrapolation_value", .type = AttrType::Float, .otherwise = 0.0},
                     choice("keep_aspect_ratio_policy", "stretch", {"stretch", "not_larger", "not_smaller"}),
                     choice("mode", "nearest", {"nearest", "linear", "cubic"}),
                     choice("nearest_mode", "round_prefer_floor", {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"})},
      .define = define_resize};
}

// Of Upsample, and of Resize before opset 11.
OpDef earlier_resize_op() {
  return {.name = "resize_10",
          .operands = {{"x"}, {"scales"}},
          .attributes = {choice("mode", "nearest", {"nearest", "linear"})},
          .define = define_earlier_resize};
}

}  // namespace vouch
