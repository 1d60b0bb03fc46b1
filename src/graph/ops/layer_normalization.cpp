// Normalisations within one example: layer and instance normalisation, mean and variance made 0 and 1.

#include "graph/ops/broadcast.h"
#include "graph/ops/moments.h"
#include "graph/ops/scalars.h"
#include "graph/ops/themes.h"

namespace vouch {
namespace {

// --- LayerNormalization: moments over the axes from `axis` on

bool require_layer_norm(OpContext& c) {
  if (c.failed() || !require_float(c, 0)) {
    return false;
  }
  for (std::size_t operand = 1; operand <= 2; ++operand) {
    if (c.has(operand)) {
      require_broadcasts_to(c, operand, c.extents(0));
    }
  }
  return !c.failed();
}

std::vector<std::size_t> axes_from(std::size_t axis, std::size_t rank) {
  std::vector<std::size_t> out;
  for (; axis < rank; ++axis) {
    out.push_back(axis);
  }
  return out;
}

enum class LayerResult { Normal, Mean, InverseDeviation };

template <LayerResult wanted>
void define_layer_norm(OpContext& c) {
  std::size_t axis = c.normal_axis(c.attr_int_value("axis"), c.rank(0));
  auto stash = stash_dtype(c);
  if (!stash || !require_layer_norm(c)) {
    return;
  }
  Moments moments(c, axes_from(axis, c.rank(0)), moment_dtype(c, *stash));
  auto deviation = [&](const Terms& i) { return inverse_deviation(moments.variance(i), c.attr_float("epsilon")); };
  if (wanted != LayerResult::Normal) {
    return c.result(*stash, moments.extents(),
                    [&](const Terms& i) { return wanted == LayerResult::Mean ? moments.mean(i) : deviation(i); });
  }
  c.local("moment_deviation", moment_dtype(c, *stash), moments.extents(), deviation);
  c.result(c.dtype(0), c.extents(0), [&](const Terms& i) {
    Terms flat = i;
    std::fill(flat.begin() + static_cast<std::ptrdiff_t>(axis), flat.end(), Term(0));
    Term normal = (c.read(0, i) - moments.mean(i)) * c.read_local("moment_deviation", flat);
    Term scaled = c.has(1) ? normal * read_broadcast(c, 1, c.extents(0), i) : normal;
    return c.has(2) ? scaled + read_broadcast(c, 2, c.extents(0), i) : scaled;
  });
}

// layer_norm {axis}: over one axis; gamma and beta are vectors along it.
void define_plain_layer_norm(OpContext& c) {
  std::size_t axis = c.normal_axis(c.attr_int_value("axis"), c.rank(0));
  if (c.failed() || !require_float(c, 0) || !require_vectors(c, {1, 2}, axis)) {
    return;
  }
  bool scaled = c.attr_int_value("scale") != 0;
  bool centred = c.attr_int_value("center") != 0;
  Moments moments(c, {axis}, wide_dtype(c.dtype(0)));
  c.result(c.dtype(0), c.extents(0), [&](const Terms& i) {
    Term normal = (c.read(0, i) - moments.mean(i)) / call(Fn::Sqrt, {moments.variance(i) + c.attr_float("epsilon")});
    normal = scaled ? normal * c.read(1, {i[axis]}) : normal;
    return centred ? normal + c.read(2, {i[axis]}) : normal;
  });
}

void define_instance_norm(OpContext& c) {
  if (!require_rank_at_least(c, 0, 3) || !require_float(c, 0) || !require_vectors(c, {1, 2}, 1)) {
    return;
  }
  Moments moments(c, all_axes_but(c.rank(0), {0, 1}), wide_dtype(c.dtype(0)));
  c.result(c.dtype(0), c.extents(0), [&](const Terms& i) {
    Term normal = (c.read(0, i) - moments.mean(i)) * inverse_deviation(moments.variance(i), c.attr_float("epsilon"));
    return normal * c.read(1, {i[1]}) + c.read(2, {i[1]});
  });
}

// y = (x - mean) / (sqrt(variance) + 1e-9)
void define_mean_variance(OpContext& c) {
  std::vector<std::int64_t> axes{0, 2, 3};
  if (c.has_attr("axes")) {
    axes = c.attr_ints_value("axes");
  }
  std::vector<std::size_t> normal = normal_axes(c, axes, c.rank(0));
  if (c.failed() || !require_float(c, 0)) {
    return;
  }
  Moments moments(c, normal, wide_dtype(c.dtype(0)));
  c.result(c.dtype(0), c.extents(0), [&](const Terms& i) {
    return (c.read(0, i) - moments.mean(i)) / (call(Fn::Sqrt, {moments.variance(i)}) + real_of_double(1e-9));
  });
}

std::vector<OpDef> layer_norm_ops() {
  const std::vector<OperandDef> operands{{"x"}, {"scale"}, {"bias", OperandKind::Optional}};
  const std::vector<AttrDef> attributes{{.name = "axis", .otherwise = -1, .domain = AttrDomain::Axis},
                                        float_attribute("epsilon", 1e-5F),
                                        {.name = "stash_type", .otherwise = 1}};
  return {
      {.name = "LayerNormalization",
       .operands = operands,
       .attributes = attributes,
       .define = define_layer_norm<LayerResult::Normal>,
       .further = {"LayerNormalizationMean", "LayerNormalizationInvStdDev"}},
      {.name = "LayerNormalizationMean",
       .operands = operands,
       .attributes = attributes,
       .define = define_layer_norm<LayerResult::Mean>},
      {.name = "LayerNormalizationInvStdDev",
       .operands = operands,
       .attributes = attributes,
       .define = define_layer_norm<LayerResult::InverseDeviation>},
  };
}

}  // namespace

std::vector<OpDef> layer_normalization_ops() {
  std::vector<OpDef> ops = layer_norm_ops();
  ops.push_back({.name = "layer_norm",
                 .operands = {{"x"}, {"gamma"}, {"beta"}},
                 .attributes = {{.name = "axis", .otherwise = -1, .domain = AttrDomain::Axis},
                                float_attribute("epsilon", 1e-5F),
                                {.name = "center", .otherwise = 1, .domain = AttrDomain::Flag},
                                {.name = "scale", .otherwise = 1, .domain = AttrDomain::Flag}},
                 .define = define_plain_layer_norm});
  ops.push_back({.name = "InstanceNormalization",
                 .operands = {{"x"}, {"scale"}, {"bias"}},
                 .attributes = {float_attribute("epsilon", 1e-5F)},
                 .define = define_instance_norm});
  ops.push_back({.name = "MeanVarianceNormalization",
                 .operands = {{"x"}},
                 .attributes = {{.name = "axes", .type = AttrType::Ints, .otherwise = Absent{}, .domain = AttrDomain::Axes}},
                 .define = define_mean_variance});
  return ops;
}

}  // namespace vouch
