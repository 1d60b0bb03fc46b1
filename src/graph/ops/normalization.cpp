// Normalisations by channel: (x - mean) / sqrt(variance + epsilon), scaled and shifted; of neighbouring channels; by a norm.

#include "graph/ops/broadcast.h"
#include "graph/ops/moments.h"
#include "graph/ops/scalars.h"
#include "graph/ops/themes.h"

namespace vouch {
namespace {

// --- BatchNormalization: operands x, scale, bias, mean, variance; in training mode the batch's own moments

bool require_batch_norm(OpContext& c) {
  return require_rank_at_least(c, 0, 2) && require_float(c, 0) && require_vectors(c, {1, 2, 3, 4}, 1);
}

// y = (x - mean) * factor + bias, factor = scale / sqrt(variance + epsilon) for each channel
void result_batch_norm(OpContext& c) {
  c.local("factor", wide_dtype(c.dtype(0)), {c.extent(0, 1)},
          [&](const Terms& i) { return c.read(1, i) / call(Fn::Sqrt, {c.read(4, i) + c.attr_float("epsilon")}); });
  c.result(c.dtype(0), c.extents(0), [&](const Terms& i) {
    Terms channel{i[1]};
    return (c.read(0, i) - c.read(3, channel)) * c.read_local("factor", channel) + c.read(2, channel);
  });
}

void define_batch_norm(OpContext& c) {
  bool training = c.attr_int_value("training_mode") != 0;
  if (!require_batch_norm(c)) {
    return;
  }
  if (!training) {
    return result_batch_norm(c);
  }
  Moments moments(c, all_axes_but(c.rank(0), {1}), wide_dtype(c.dtype(0)));
  c.result(c.dtype(0), c.extents(0), [&](const Terms& i) {
    Term normal = (c.read(0, i) - moments.mean(i)) * inverse_deviation(moments.variance(i), c.attr_float("epsilon"));
    return normal * c.read(1, {i[1]}) + c.read(2, {i[1]});
  });
}

// batch_norm {axis}: the result, and the running moments as they were.
void define_plain_batch_norm(OpContext& c) {
  std::size_t axis = c.normal_axis(c.attr_int_value("axis"), c.rank(0));
  if (c.failed() || !require_float(c, 0) || !require_vectors(c, {1, 2, 3, 4}, axis)) {
    return;
  }
  bool scaled = c.attr_int_value("scale") != 0;
  bool centred = c.attr_int_value("center") != 0;
  c.result(c.dtype(0), c.extents(0), [&](const Terms& i) {
    Terms channel{i[axis]};
    Term normal = (c.read(0, i) - c.read(3, channel)) / call(Fn::Sqrt, {c.read(4, channel) + c.attr_float("epsilon")});
    normal = scaled ? normal * c.read(1, channel) : normal;
    return centred ? normal + c.read(2, channel) : normal;
  });
  for (std::size_t moment : {3, 4}) {
    c.result(c.dtype(moment), c.extents(moment), [&](const Terms& i) { return c.read(moment, i); });
  }
}

// running = given * momentum + the batch's * (1 - momentum)
template <bool variance>
void define_running(OpContext& c) {
  if (c.attr_int_value("training_mode") == 0) {
    return c.fail("running moments exist in training mode only");
  }
  if (!require_batch_norm(c)) {
    return;
  }
  Moments moments(c, all_axes_but(c.rank(0), {1}), wide_dtype(c.dtype(0)));
  c.result(c.dtype(3), {c.extent(0, 1)}, [&](const Terms& i) {
    Terms at(c.rank(0), Term(0));
    at[1] = i[0];
    Term momentum = c.attr_float("momentum");
    Term batch = variance ? moments.variance(at) : moments.mean(at);
    return c.read(variance ? 4 : 3, i) * momentum + batch * (real(1) - momentum);
  });
}

// y = x / (bias + alpha / size * sum of squares of the channels around)^beta
void define_lrn(OpContext& c) {
  Term size = c.attr_int("size");
  c.require(ge(size, 1), "size must be at least 1");
  require_one_reading(c, eq(floor_mod(size, 2), 1), "of an even size ONNX Runtime makes no LRN");
  if (c.failed() || !require_rank_at_least(c, 0, 2) || !require_float(c, 0)) {
    return;
  }
  c.local("squares", wide_dtype(c.dtype(0)), c.extents(0), [&](const Terms& i) {
    BoundIndex bound = c.bound("k", size);
    Terms at = i;
    at[1] = i[1] - floor_div(size - 1, 2) + int_var(bound.name);
    return reduce(Reduction::Sum, {bound}, bool_const(true),
                  select(in_range(at[1], c.extent(0, 1)), square(c.read(0, at)), real(0)));
  });
  c.result(c.dtype(0), c.extents(0), [&](const Terms& i) {
    Term scale = c.attr_float("bias") + c.attr_float("alpha") / real_of(size) * c.read_local("squares", i);
    return c.read(0, i) / call(Fn::Pow, {scale, c.attr_float("beta")});
  });
}

// y = x / norm along an axis, and 0 where that is 0
void define_lp_normalization(OpContext& c) {
  std::size_t axis = c.normal_axis(c.attr_int_value("axis"), c.rank(0));
  std::int64_t p = c.attr_int_value("p");
  if (p != 1 && p != 2) {
    c.fail("p must be 1 or 2");
  }
  if (c.failed() || !require_float(c, 0)) {
    return;
  }
  Terms extents = c.extents(0);
  extents[axis] = 1;
  c.local("norm", wide_dtype(c.dtype(0)), extents, [&](const Terms& i) {
    BoundIndex bound = c.bound("k", c.extent(0, axis));
    Terms at = i;
    at[axis] = int_var(bound.name);
    return norm_of(reduce(Reduction::Sum, {bound}, bool_const(true), powered(c.read(0, at), p)), p);
  });
  c.result(c.dtype(0), c.extents(0), [&](const Terms& i) {
    Terms at = i;
    at[axis] = 0;
    Term norm = c.read_local("norm", at);
    return select(real_eq(norm, real(0)), real(0), c.read(0, i) / norm);
  });
}

std::vector<OpDef> batch_norm_ops() {
  const std::vector<OperandDef> operands{{"x"}, {"scale"}, {"bias"}, {"mean"}, {"variance"}};
  const std::vector<AttrDef> attributes{float_attribute("epsilon", 1e-5F),
                                        float_attribute("momentum", 0.9F),
                                        {.name = "training_mode", .otherwise = 0, .domain = AttrDomain::Flag}};
  return {
      {.name = "BatchNormalization",
       .operands = operands,
       .attributes = attributes,
       .define = define_batch_norm,
       .further = {"BatchNormalizationMean", "BatchNormalizationVariance"}},
      {.name = "BatchNormalizationMean", .operands = operands, .attributes = attributes, .define = define_running<false>},
      {.name = "BatchNormalizationVariance", .operands = operands, .attributes = attributes, .define = define_running<true>},
  };
}

}  // namespace

std::vector<OpDef> normalization_ops() {
  std::vector<OpDef> ops = batch_norm_ops();
  ops.push_back({.name = "batch_norm",
                 .operands = {{"x"}, {"gamma"}, {"beta"}, {"mean"}, {"variance"}},
                 .attributes = {{.name = "axis", .otherwise = 1, .domain = AttrDomain::Axis},
                                float_attribute("epsilon", 1e-5F),
                                {.name = "center", .otherwise = 1, .domain = AttrDomain::Flag},
                                {.name = "scale", .otherwise = 1, .domain = AttrDomain::Flag}},
                 .define = define_plain_batch_norm,
                 .several_results = true});
  ops.push_back({.name = "LRN",
                 .operands = {{"x"}},
                 .attributes = {float_attribute("alpha", 1e-4F),
                                float_attribute("beta", 0.75F),
                                float_attribute("bias", 1.0F),
                                {.name = "size"}},
                 .define = define_lrn});
  ops.push_back({.name = "LpNormalization",
                 .operands = {{"x"}},
                 .attributes = {{.name = "axis", .otherwise = -1, .domain = AttrDomain::Axis}, {.name = "p", .otherwise = 2}},
                 .define = define_lp_normalization});
  return ops;
}

}  // namespace vouch
