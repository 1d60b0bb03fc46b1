// Activations: one tensor through a scalar function, with parameters.
#include "graph/ops/broadcast.h"
#include "graph/ops/operands.h"
#include "graph/ops/scalars.h"
#include "graph/ops/themes.h"

namespace vouch {
namespace {

using ActivationTerm = Term (*)(const OpContext& c, Term x);

template <ActivationTerm f>
void define_activation(OpContext& c) {
  if (require_float(c, 0)) {
    c.result(c.dtype(0), c.extents(0), [&](const Terms& i) { return f(c, c.read(0, i)); });
  }
}

Term one() { return real(1); }
Term zero() { return real(0); }
Term exp(Term x) { return call(Fn::Exp, {x}); }
Term positive_part(Term x) { return call(Fn::Max, {x, zero()}); }

void define_relu(OpContext& c) {
  if (require_numeric(c, 0)) {
    c.result(c.dtype(0), c.extents(0), [&](const Terms& i) { return positive_part(c.read(0, i)); });
  }
}

Term leaky_relu(const OpContext& c, Term x) { return select(real_lt(x, zero()), c.attr_float("alpha") * x, x); }

Term sigmoid(const OpContext&, Term x) { return one() / (one() + exp(-x)); }

Term clamp_unit(Term x) { return call(Fn::Max, {zero(), call(Fn::Min, {one(), x})}); }

Term hard_sigmoid(const OpContext& c, Term x) { return clamp_unit(c.attr_float("alpha") * x + c.attr_float("beta")); }

// x * HardSigmoid(x) with alpha 1/6 and beta 1/2
Term hard_swish(const OpContext&, Term x) { return x * clamp_unit(x / real(6) + half()); }

Term gelu(const OpContext& c, Term x) {
  if (c.attr_string("approximate") == "none") {
    return half() * x * (one() + call(Fn::Erf, {x / call(Fn::Sqrt, {real(2)})}));
  }
  Term root = real_of_double(0.79788456080286535588);  // sqrt(2 / pi)
  Term inner = root * (x + real_of_double(0.044715) * (x * x * x));
  return half() * x * (one() + call(Fn::Tanh, {inner}));
}

Term elu(const OpContext& c, Term x) { return select(real_lt(x, zero()), c.attr_float("alpha") * (exp(x) - one()), x); }

Term selu(const OpContext& c, Term x) {
  Term alpha = c.attr_float("alpha");
  return c.attr_float("gamma") * select(real_lt(zero(), x), x, alpha * exp(x) - alpha);
}

Term celu(const OpContext& c, Term x) {
  Term alpha = c.attr_float("alpha");
  return positive_part(x) + call(Fn::Min, {zero(), alpha * (exp(x / alpha) - one())});
}

// log(1 + exp(x)), written so that exp does not overflow, and each branch by smooth functions: its derivative is one at 0 too.
Term softplus(const OpContext&, Term x) {
  Term above = x + call(Fn::Log, {one() + exp(-x)});
  return select(real_lt(zero(), x), above, call(Fn::Log, {one() + exp(x)}));
}

Term softsign(const OpContext&, Term x) { return x / (one() + call(Fn::Abs, {x})); }
Term mish(const OpContext& c, Term x) { return x * call(Fn::Tanh, {softplus(c, x)}); }

Term thresholded_relu(const OpContext& c, Term x) { return select(real_lt(c.attr_float("alpha"), x), x, zero()); }

Term shrink(const OpContext& c, Term x) {
  Term lambda = c.attr_float("lambd");
  Term bias = c.attr_float("bias");
  return select(real_lt(x, -lambda), x + bias, select(real_lt(lambda, x), x - bias, zero()));
}

Term sloped(Term x, Term slope) { return select(real_lt(x, zero()), slope * x, x); }

// The slope broadcasts to x, never the other way.
void define_prelu(OpContext& c) {
  if (!require_numeric(c, 0) || !require_same_dtype(c, 0, 1)) {
    return;
  }
  require_broadcasts_to(c, 1, c.extents(0));
  c.result(c.dtype(0), c.extents(0), [&](const Terms& i) { return sloped(c.read(0, i), read_broadcast(c, 1, c.extents(0), i)); });
}

void define_prelu_from_axis(OpContext& c) {
  if (require_numeric(c, 0) && require_same_dtype(c, 0, 1)) {
    give_pairs(c, Alignment::FromAxis, c.dtype(0), sloped);
  }
}

// min(max(x, low), high): where the bounds contradict each other, the upper one wins.
void define_clip(OpContext& c) {
  if (!require_numeric(c, 0)) {
    return;
  }
  for (std::size_t bound = 1; bound <= 2; ++bound) {
    if (c.has(bound)) {
      require_scalar(c, bound);
      require_same_dtype(c, 0, bound);
    }
  }
  c.result(c.dtype(0), c.extents(0), [&](const Terms& i) {
    Term x = c.read(0, i);
    x = c.has(1) ? call(Fn::Max, {x, read_scalar(c, 1)}) : x;
    return c.has(2) ? call(Fn::Min, {x, read_scalar(c, 2)}) : x;
  });
}

// clamp(low, x, high): the bounds are scalars or of x's shape.
void define_clamp(OpContext& c) {
  if (!require_numeric(c, 1) || !require_same_dtype(c, 0, 1) || !require_same_dtype(c, 1, 2)) {
    return;
  }
  for (std::size_t bound : {0, 2}) {
    if (c.rank(bound) != 0) {
      require_equal_extents(c, bound, 1);
    }
  }
  c.result(c.dtype(1), c.extents(1), [&](const Terms& i) {
    Term low = c.read(0, c.rank(0) == 0 ? Terms() : i);
    Term high = c.read(2, c.rank(2) == 0 ? Terms() : i);
    return call(Fn::Min, {call(Fn::Max, {low, c.read(1, i)}), high});
  });
}

// ONNX states its defaults as float32 numbers.
OpDef activation(std::string_view name, void (*define)(OpContext&), std::vector<AttrDef> attributes = {}) {
  return {
      .name = name, .operands = {{"x"}}, .attributes = std::move(attributes), .traits = {.elementwise = true}, .define = define};
}

}  // namespace

std::vector<OpDef> activation_ops() {
  const AttrDef approximate{.name = "approximate", .type = AttrType::String, .otherwise = "none", .choices = {"none", "tanh"}};
  return {
      activation("Relu", define_relu),
      activation("LeakyRelu", define_activation<leaky_relu>, {float_attribute("alpha", 0.01F)}),
      activation("Sigmoid", define_activation<sigmoid>),
      activation("HardSigmoid", define_activation<hard_sigmoid>, {float_attribute("alpha", 0.2F), float_attribute("beta", 0.5F)}),
      activation("HardSwish", define_activation<hard_swish>),
      activation("Gelu", define_activation<gelu>, {approximate}),
      activation("Elu", define_activation<elu>, {float_attribute("alpha", 1.0F)}),
      activation("Selu", define_activation<selu>,
                 {float_attribute("alpha", 1.67326319217681884765625F), float_attribute("gamma", 1.05070102214813232421875F)}),
      activation("Celu", define_activation<celu>, {float_attribute("alpha", 1.0F)}),
      activation("Softplus", define_activation<softplus>),
      activation("Softsign", define_activation<softsign>),
      activation("Mish", define_activation<mish>),
      activation("ThresholdedRelu", define_activation<thresholded_relu>, {float_attribute("alpha", 1.0F)}),
      activation("Shrink", define_activation<shrink>, {float_attribute("bias", 0.0F), float_attribute("lambd", 0.5F)}),
      {.name = "PRelu", .operands = {{"x"}, {"slope"}}, .define = define_prelu},
      from_axis("prelu_6", define_prelu_from_axis),
      {.name = "Clip",
       .operands = {{"x"}, {"min", OperandKind::Optional}, {"max", OperandKind::Optional}},
       .define = define_clip},
      {.name = "clamp", .operands = {{"low"}, {"x"}, {"high"}}, .define = define_clamp},
  };
}

}  // namespace vouch
