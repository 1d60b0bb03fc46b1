// One operand, element by element.
#include "graph/ops/operands.h"
#include "graph/ops/scalars.h"
#include "graph/ops/themes.h"

namespace vouch {
namespace {

// y[i] = f(x[i])
template <class F>
void map_elements(OpContext& c, DType dtype, F f) {
  c.result(dtype, c.extents(0), [&](const Terms& i) { return f(c.read(0, i)); });
}

template <Fn fn>
void define_float_fn(OpContext& c) {
  if (require_float(c, 0)) {
    map_elements(c, c.dtype(0), [](Term x) { return call(fn, {x}); });
  }
}

template <Fn fn>
void define_fn(OpContext& c) {
  if (require_numeric(c, 0)) {
    map_elements(c, c.dtype(0), [](Term x) { return call(fn, {x}); });
  }
}

void define_neg(OpContext& c) {
  if (require_numeric(c, 0)) {
    map_elements(c, c.dtype(0), [](Term x) { return -x; });
  }
}

void define_reciprocal(OpContext& c) {
  if (require_float(c, 0)) {
    map_elements(c, c.dtype(0), [](Term x) { return real(1) / x; });
  }
}

void define_identity(OpContext& c) {
  map_elements(c, c.dtype(0), [](Term x) { return x; });
}

// The only element, if it is known to be a number.
const Rational* known_number(const OpContext& c, std::size_t operand) {
  const Terms* elements = c.has(operand) ? c.contents(operand) : nullptr;
  return elements && elements->size() == 1 && is_const(elements->front()) ? &elements->front()->value : nullptr;
}

// At inference nothing is dropped. In training mode random numbers are drawn, unless the ratio is zero; so where the mode is not
// known the call has a type, and no meaning.
void define_inference(OpContext& c, DType dtype, Term (*element)(Term x)) {
  const Rational* training = known_number(c, 2);
  const Rational* ratio = known_number(c, 1);
  if (!c.has(2) || (training && *training == 0) || (ratio && *ratio == 0)) {
    return map_elements(c, dtype, element);
  }
  if (training) {
    return c.fail_undecided("in training mode the result is random: only inference is supported");
  }
  c.opaque_result(dtype, c.extents(0));
}

void define_dropout(OpContext& c) {
  define_inference(c, c.dtype(0), [](Term x) { return x; });
}

void define_dropout_mask(OpContext& c) {
  define_inference(c, DType::Bool, [](Term) { return real(1); });
}

// To integers towards zero, to bool by `!= 0`; what does not fit wraps or rounds when it is stored. Floats of 8 bits saturate.
void cast_to(OpContext& c, DType to) {
  DType from = c.dtype(0);
  map_elements(c, to, [&](Term x) {
    if (to == DType::Bool && from != DType::Bool) {
      return truth(is_set(x));
    }
    if (is_float8(to) && from != to) {
      return saturated(to, x);
    }
    return is_integer(to) && is_float(from) ? call(Fn::Trunc, {x}) : x;
  });
}

void define_cast(OpContext& c) { cast_to(c, dtype_attr(c, "to", c.dtype(0))); }
void define_convert(OpContext& c) { cast_to(c, dtype_attr(c, "dtype", c.dtype(0))); }
void define_cast_like(OpContext& c) { cast_to(c, c.dtype(1)); }

OpDef unary(std::string_view name, void (*define)(OpContext&)) {
  return {.name = name, .operands = {{"x"}}, .traits = {.elementwise = true}, .define = define};
}

std::vector<OpDef> function_ops() {
  return {
      unary("Neg", define_neg),
      unary("Abs", define_fn<Fn::Abs>),
      unary("Sign", define_fn<Fn::Sign>),
      unary("Exp", define_float_fn<Fn::Exp>),
      unary("Log", define_float_fn<Fn::Log>),
      unary("Sqrt", define_float_fn<Fn::Sqrt>),
      unary("Reciprocal", define_reciprocal),
      unary("Floor", define_float_fn<Fn::Floor>),
      unary("Ceil", define_float_fn<Fn::Ceil>),
      unary("Round", define_float_fn<Fn::Round>),
      unary("Erf", define_fn<Fn::Erf>),
      unary("Tanh", define_float_fn<Fn::Tanh>),
      unary("Sin", define_float_fn<Fn::Sin>),
      unary("Cos", define_float_fn<Fn::Cos>),
      unary("Tan", define_float_fn<Fn::Tan>),
      unary("Asin", define_float_fn<Fn::Asin>),
      unary("Acos", define_float_fn<Fn::Acos>),
      unary("Atan", define_float_fn<Fn::Atan>),
      unary("Sinh", define_float_fn<Fn::Sinh>),
      unary("Cosh", define_float_fn<Fn::Cosh>),
      unary("Asinh", define_float_fn<Fn::Asinh>),
      unary("Acosh", define_float_fn<Fn::Acosh>),
      unary("Atanh", define_float_fn<Fn::Atanh>),
      unary("Identity", define_identity),
  };
}

}  // namespace

std::vector<OpDef> unary_ops() {
  const std::vector<OperandDef> dropped{{"x"}, {"ratio", OperandKind::Optional}, {"training_mode", OperandKind::Optional}};
  const AttrDef seed{.name = "seed", .otherwise = Absent{}};  // of numbers that are never drawn
  std::vector<OpDef> ops = function_ops();
  for (OpDef& def : std::vector<OpDef>{
           {.name = "Dropout",
   .operands = dropped,
   .attributes = {seed},
   .traits = {.elementwise = true},
   .define = define_dropout,
   .further = {"DropoutMask"}},
           {.name = "DropoutMask",
           .operands = dropped,
           .attributes = {seed},
           .traits = {.elementwise = true},
           .define = define_dropout_mask},
           {.name = "Cast",
           .operands = {{"x"}},
           .attributes = {{.name = "to", .type = AttrType::DType}},
           .traits = {.elementwise = true},
           .define = define_cast},
           {.name = "CastLike", .operands = {{"x"}, {"like"}}, .define = define_cast_like},
           {.name = "convert",
           .operands = {{"x"}},
           .attributes = {{.name = "dtype", .type = AttrType::DType}},
           .traits = {.elementwise = true},
           .define = define_convert},
       }) {
    ops.push_back(std::move(def));
  }
  return ops;
}

}  // namespace vouch
