// Two or several operands, broadcast, element by element.
#include "graph/ops/broadcast.h"
#include "graph/ops/operands.h"
#include "graph/ops/scalars.h"
#include "graph/ops/themes.h"

namespace vouch {
namespace {

using Combine = Term (*)(Term a, Term b);

template <Combine combine, Alignment alignment = Alignment::Last>
void define_binary(OpContext& c) {
  if (require_numeric(c, 0) && require_same_dtype(c, 0, 1)) {
    give_pairs(c, alignment, c.dtype(0), combine);
  }
}

Term add(Term a, Term b) { return a + b; }
Term subtract(Term a, Term b) { return a - b; }
Term multiply(Term a, Term b) { return a * b; }
Term greater_of(Term a, Term b) { return call(Fn::Max, {a, b}); }
Term lesser_of(Term a, Term b) { return call(Fn::Min, {a, b}); }

template <Alignment alignment = Alignment::Last>
void define_div(OpContext& c) {
  if (require_numeric(c, 0) && require_same_dtype(c, 0, 1)) {
    give_pairs(c, alignment, c.dtype(0), [&](Term a, Term b) { return quotient(c.dtype(0), a, b); });
  }
}

// The exponent may be of another element type.
template <Alignment alignment = Alignment::Last>
void define_pow(OpContext& c) {
  if (require_numeric(c, 0) && require_numeric(c, 1)) {
    give_pairs(c, alignment, c.dtype(0), [](Term a, Term b) { return call(Fn::Pow, {a, b}); });
  }
}

// The sign of the remainder is the divisor's, or with fmod the dividend's.
void define_mod(OpContext& c) {
  bool fmod = c.attr_int_value("fmod") != 0;
  if (!fmod && is_float(c.dtype(0))) {
    return c.fail("floats need fmod = 1");
  }
  if (require_numeric(c, 0) && require_same_dtype(c, 0, 1)) {
    give_pairs(c, Alignment::Last, c.dtype(0), [&](Term a, Term b) { return call(fmod ? Fn::Fmod : Fn::Mod, {a, b}); });
  }
}

// The items of a tuple, broadcast together and combined from left to right.
void combine_items(OpContext& c, Combine combine, bool mean) {
  if (!require_like_items(c, 0)) {
    return;
  }
  if (c.item_type(0, 0).dtype() == DType::Bool) {
    return c.fail("operand xs must be a tuple of tensors of numbers");
  }
  std::size_t count = c.item_count(0);
  std::vector<Terms> shapes;
  for (std::size_t k = 0; k < count; ++k) {
    shapes.push_back(c.item_type(0, k).extents());
  }
  DType dtype = c.item_type(0, 0).dtype();
  Terms extents = broadcast_extents(c, shapes);
  c.result(dtype, extents, [&](const Terms& i) {
    Term total;
    for (std::size_t k = 0; k < count; ++k) {
      Term item = c.read_item(0, k, broadcast_indices(shapes[k], extents, i));
      total = k == 0 ? item : combine(total, item);
    }
    return mean ? quotient(dtype, total, real(static_cast<std::int64_t>(count))) : total;
  });
}

template <Combine combine, bool mean = false>
void define_items(OpContext& c) {
  combine_items(c, combine, mean);
}

OpDef binary(std::string_view name, void (*define)(OpContext&), bool commutative = false) {
  return {
      .name = name, .operands = {{"a"}, {"b"}}, .traits = {.commutative = commutative, .elementwise = true}, .define = define};
}

OpDef several(std::string_view name, void (*define)(OpContext&)) {
  return {.name = name, .operands = {{"xs", OperandKind::Tuple}}, .traits = {.elementwise = true}, .define = define};
}

}  // namespace

std::vector<OpDef> arithmetic_ops() {
  OpDef mod = binary("Mod", define_mod);
  mod.attributes = {{.name = "fmod", .otherwise = 0, .domain = AttrDomain::Flag}};
  return {
      binary("Add", define_binary<add>, true),
      binary("Sub", define_binary<subtract>),
      binary("Mul", define_binary<multiply>, true),
      binary("Div", define_div<>),
      binary("Pow", define_pow<>),
      std::move(mod),
      several("Sum", define_items<add>),
      several("Mean", define_items<add, true>),
      several("Max", define_items<greater_of>),
      several("Min", define_items<lesser_of>),
      binary("maximum", define_binary<greater_of>, true),
      binary("minimum", define_binary<lesser_of>, true),
      from_axis("add_6", define_binary<add, Alignment::FromAxis>),
      from_axis("sub_6", define_binary<subtract, Alignment::FromAxis>),
      from_axis("mul_6", define_binary<multiply, Alignment::FromAxis>),
      from_axis("div_6", define_div<Alignment::FromAxis>),
      from_axis("pow_6", define_pow<Alignment::FromAxis>),
  };
}

}  // namespace vouch
