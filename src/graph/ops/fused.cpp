// Operators that ONNX Runtime writes in the place of several (its docs/ContribOperators.md): each means the composition that it
// stands for, with every intermediate stored in the element type, as the operators that it replaces would.
#include "graph/ops/broadcast.h"
#include "graph/ops/fused_activation.h"
#include "graph/ops/operands.h"
#include "graph/ops/scalars.h"
#include "graph/ops/themes.h"

namespace vouch {

std::optional<Term> fused_activation(OpContext& c, const std::string& name, std::span<const Term> parameters, Term x) {
  auto parameter = [&](std::size_t k, double otherwise) {
    return k < parameters.size() ? parameters[k] : real_of_double(otherwise);
  };
  auto sigmoid = [](Term t) { return real(1) / (real(1) + call(Fn::Exp, {-t})); };
  if (name.empty()) {
    return x;
  }
  if (name == "Relu") {
    return call(Fn::Max, {x, real(0)});
  }
  if (name == "Sigmoid") {
    return sigmoid(x);
  }
  if (name == "Tanh") {
    return call(Fn::Tanh, {x});
  }
  if (name == "LeakyRelu") {
    return select(real_lt(x, real(0)), parameter(0, static_cast<double>(0.01F)) * x, x);
  }
  if (name == "HardSigmoid") {
    Term line = parameter(0, static_cast<double>(0.2F)) * x + parameter(1, 0.5);
    return call(Fn::Max, {real(0), call(Fn::Min, {real(1), line})});
  }
  if (name == "Clip" && parameters.size() == 2) {
    return call(Fn::Min, {call(Fn::Max, {x, parameters[0]}), parameters[1]});
  }
  c.fail("the activation '" + name + "' is not one that is fused");
  return std::nullopt;
}

namespace {

Term sigmoid(Term x) { return real(1) / (real(1) + call(Fn::Exp, {-x})); }
Term gelu(Term x) { return half() * x * (real(1) + call(Fn::Erf, {x / call(Fn::Sqrt, {real(2)})})); }

// 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
Term fast_gelu(Term x) {
  Term inner = real_of_double(0.79788456080286535588) * (x + real_of_double(0.044715) * (x * x * x));
  return half() * x * (real(1) + call(Fn::Tanh, {inner}));
}

// f(x + b), b a vector along the last axis; without b, f(x).
template <Term (*f)(Term)>
void define_biased(OpContext& c) {
  if (!require_rank_at_least(c, 0, 1) || !require_float(c, 0)) {
    return;
  }
  if (c.has(1) && require_rank(c, 1, 1) && require_same_dtype(c, 0, 1)) {
    c.require(eq(c.extent(1, 0), c.extents(0).back()), "the bias has one element for each position of the last axis");
    c.local("biased", c.dtype(0), c.extents(0), [&](const Terms& i) { return c.read(0, i) + c.read(1, {i.back()}); });
  }
  c.result(c.dtype(0), c.extents(0), [&](const Terms& i) { return f(c.has(1) ? c.read_local("biased", i) : c.read(0, i)); });
}

// x sigmoid(alpha x): QuickGelu with alpha 1.702, Swish with 1
void define_swish(OpContext& c) {
  if (require_float(c, 0)) {
    c.result(c.dtype(0), c.extents(0), [&](const Terms& i) {
      Term x = c.read(0, i);
      return x * sigmoid(c.attr_float("alpha") * x);
    });
  }
}

// --- normalisations of what was added first

using Element = std::function<Term(const Terms&)>;

// A local: the mean of `element` over the axes from `axis` on.
void local_mean(OpContext& c, std::string_view name, DType dtype, std::size_t axis, const Element& element) {
  Terms extents = c.extents(0);
  Term count = 1;
  for (std::size_t k = axis; k < extents.size(); ++k) {
    count = count * extents[k];
    extents[k] = 1;
  }
  c.local(name, dtype, extents, [&](const Terms& i) {
    std::vector<BoundIndex> bound;
    Terms at = i;
    for (std::size_t k = axis; k < at.size(); ++k) {
      bound.push_back(c.bound("k" + std::to_string(k), c.extent(0, k)));
      at[k] = int_var(bound.back().name);
    }
    return reduce(Reduction::Sum, bound, bool_const(true), element(at)) / real_of(count);
  });
}

Terms flattened(Terms i, std::size_t axis) {
  std::fill(i.begin() + static_cast<std::ptrdiff_t>(axis), i.end(), Term(0));
  return i;
}

// x / sqrt(mean(x^2) + epsilon) * scale; with a mean first where `centred`.
void result_normal(OpContext& c, std::size_t axis, const Element& x, std::size_t scale, std::optional<std::size_t> bias,
                   bool centred) {
  for (std::size_t k = axis; k < c.rank(0); ++k) {
    c.require(ge(c.extent(0, k), 1), "the axes that are normalised must not be empty");
  }
  DType dtype = wide_dtype(c.dtype(0));
  if (centred) {
    local_mean(c, "moment_mean", dtype, axis, x);
  }
  auto difference = [&](const Terms& i) { return centred ? x(i) - c.read_local("moment_mean", flattened(i, axis)) : x(i); };
  local_mean(c, "moment_square", dtype, axis, [&](const Terms& i) { return square(difference(i)); });
  c.result(c.dtype(0), c.extents(0), [&](const Terms& i) {
    Term deviation = call(Fn::Sqrt, {c.read_local("moment_square", flattened(i, axis)) + c.attr_float("epsilon")});
    Term normal = difference(i) / deviation * read_broadcast(c, scale, c.extents(0), i);
    return bias ? normal + read_broadcast(c, *bias, c.extents(0), i) : normal;
  });
}

void define_rms_norm(OpContext& c) {
  std::size_t axis = c.normal_axis(c.attr_int_value("axis"), c.rank(0));
  if (c.failed() || !require_float(c, 0)) {
    return;
  }
  require_broadcasts_to(c, 1, c.extents(0));
  result_normal(
      c, axis, [&](const Terms& i) { return c.read(0, i); }, 1, std::nullopt, false);
}

// What both skip normalisations add: the input, what skipped a layer (which may lack leading axes), and a bias.
bool add_skipped(OpContext& c, std::size_t bias) {
  if (!require_rank_at_least(c, 0, 2) || !require_float(c, 0) || !require_same_dtype(c, 0, 1)) {
    return false;
  }
  require_broadcasts_to(c, 1, c.extents(0));
  for (std::size_t operand = 2; operand <= bias; ++operand) {
    if (c.has(operand) && require_rank(c, operand, 1)) {
      c.require(eq(c.extent(operand, 0), c.extents(0).back()), "vectors have one element for each position of the last axis");
    }
  }
  return !c.failed();
}

Term skipped_sum(const OpContext& c, std::size_t bias, const Terms& i) {
  Term sum = c.read(0, i) + read_broadcast(c, 1, c.extents(0), i);
  return c.has(bias) ? sum + c.read(bias, {i.back()}) : sum;
}

// Operands: input, skip, gamma, (beta,) bias.
template <std::size_t bias, bool only_sum>
void define_skip_norm(OpContext& c) {
  if (!add_skipped(c, bias)) {
    return;
  }
  if (only_sum) {
    return c.result(c.dtype(0), c.extents(0), [&](const Terms& i) { return skipped_sum(c, bias, i); });
  }
  constexpr bool kCentred = bias == 4;
  c.local("added", c.dtype(0), c.extents(0), [&](const Terms& i) { return skipped_sum(c, bias, i); });
  result_normal(
      c, c.rank(0) - 1, [&](const Terms& i) { return c.read_local("added", i); }, 2,
      kCentred && c.has(3) ? std::optional<std::size_t>(3) : std::nullopt, kCentred);
}

std::vector<OpDef> skip_ops() {
  const std::vector<OperandDef> centred{
      {"input"}, {"skip"}, {"gamma"}, {"beta", OperandKind::Optional}, {"bias", OperandKind::Optional}};
  const std::vector<OperandDef> simple{{"input"}, {"skip"}, {"gamma"}, {"bias", OperandKind::Optional}};
  const std::vector<AttrDef> epsilon{float_attribute("epsilon", 1e-12F)};
  return {
      {.name = "SkipLayerNormalization",
       .operands = centred,
       .attributes = epsilon,
       .define = define_skip_norm<4, false>,
       .further = {"", "", "SkipLayerNormalizationSum"}},
      {.name = "SkipLayerNormalizationSum", .operands = centred, .attributes = epsilon, .define = define_skip_norm<4, true>},
      {.name = "SkipSimplifiedLayerNormalization",
       .operands = simple,
       .attributes = epsilon,
       .define = define_skip_norm<3, false>,
       .further = {"", "", "SkipSimplifiedLayerNormalizationSum"}},
      {.name = "SkipSimplifiedLayerNormalizationSum",
       .operands = simple,
       .attributes = epsilon,
       .define = define_skip_norm<3, true>},
  };
}

}  // namespace

std::vector<OpDef> fused_ops() {
  const std::vector<AttrDef> normal{{.name = "axis", .otherwise = -1, .domain = AttrDomain::Axis},
                                    float_attribute("epsilon", 1e-5F),
                                    {.name = "stash_type", .otherwise = 1}};
  const std::vector<OperandDef> biased{{"x"}, {"bias", OperandKind::Optional}};
  std::vector<OpDef> ops{
      {.name = "BiasGelu", .operands = {{"x"}, {"bias"}}, .define = define_biased<gelu>},
      {.name = "FastGelu", .operands = biased, .define = define_biased<fast_gelu>},
      {.name = "QuickGelu",
       .operands = {{"x"}},
       .attributes = {float_attribute("alpha", 1.702F)},
       .traits = {.elementwise = true},
       .define = define_swish},
      {.name = "Swish",
       .operands = {{"x"}},
       .attributes = {float_attribute("alpha", 1.0F)},
       .traits = {.elementwise = true},
       .define = define_swish},
      {.name = "RMSNormalization", .operands = {{"x"}, {"scale"}}, .attributes = normal, .define = define_rms_norm},
      {.name = "SimplifiedLayerNormalization", .operands = {{"x"}, {"scale"}}, .attributes = normal, .define = define_rms_norm},
  };
  for (OpDef& op : skip_ops()) {
    ops.push_back(std::move(op));
  }
  return ops;
}

}  // namespace vouch
