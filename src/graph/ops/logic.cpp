// Comparisons, truth functions and choices.
#include "graph/ops/broadcast.h"
#include "graph/ops/operands.h"
#include "graph/ops/scalars.h"
#include "graph/ops/themes.h"
#include "tensor/element.h"

namespace vouch {
namespace {

using Relation = Term (*)(Term a, Term b);  // two scalar terms to a guard

Term equal(Term a, Term b) { return real_eq(a, b); }
Term not_equal(Term a, Term b) { return negate(real_eq(a, b)); }
Term less(Term a, Term b) { return real_lt(a, b); }
Term less_or_equal(Term a, Term b) { return real_le(a, b); }
Term greater(Term a, Term b) { return real_lt(b, a); }
Term greater_or_equal(Term a, Term b) { return real_le(b, a); }
Term conjunction(Term a, Term b) { return both(is_set(a), is_set(b)); }
Term disjunction(Term a, Term b) { return either(is_set(a), is_set(b)); }

void relate(OpContext& c, Relation relation, Alignment alignment) {
  give_pairs(c, alignment, DType::Bool, [&](Term a, Term b) { return truth(relation(a, b)); });
}

template <Relation relation, bool ordered = true, Alignment alignment = Alignment::Last>
void define_comparison(OpContext& c) {
  if (require_same_dtype(c, 0, 1) && (!ordered || require_numeric(c, 0))) {
    relate(c, relation, alignment);
  }
}

template <Relation relation, Alignment alignment = Alignment::Last>
void define_truth(OpContext& c) {
  if (require_bool(c, 0) && require_bool(c, 1)) {
    relate(c, relation, alignment);
  }
}

void define_not(OpContext& c) {
  if (require_bool(c, 0)) {
    c.result(DType::Bool, c.extents(0), [&](const Terms& i) { return truth(negate(is_set(c.read(0, i)))); });
  }
}

void define_where(OpContext& c) {
  if (!require_bool(c, 0) || !require_same_dtype(c, 1, 2)) {
    return;
  }
  Terms extents = broadcast_extents(c, {c.extents(0), c.extents(1), c.extents(2)});
  c.result(c.dtype(1), extents, [&](const Terms& i) {
    return select(is_set(read_broadcast(c, 0, extents, i)), read_broadcast(c, 1, extents, i), read_broadcast(c, 2, extents, i));
  });
}

// Of all elements NaN alone is not equal to itself.
void define_is_nan(OpContext& c) {
  if (require_float(c, 0)) {
    c.result(DType::Bool, c.extents(0), [&](const Terms& i) { return truth(not_equal(c.read(0, i), c.read(0, i))); });
  }
}

// What lies beyond the finite numbers of the type.
void define_is_inf(OpContext& c) {
  const bool above = c.attr_int_value("detect_positive") != 0;
  const bool below = c.attr_int_value("detect_negative") != 0;
  if (c.failed() || !require_float(c, 0)) {
    return;
  }
  const NumberRange finite = range_of(c.dtype(0));
  c.result(DType::Bool, c.extents(0), [&](const Terms& i) {
    Term x = c.read(0, i);
    return truth(either(above ? greater(x, real_const(finite.high)) : bool_const(false),
                        below ? less(x, real_const(finite.low)) : bool_const(false)));
  });
}

// select(p, a, b): a and b of one shape, which is p's too unless p is a scalar.
void define_select(OpContext& c) {
  if (!require_bool(c, 0) || !require_same_dtype(c, 1, 2) || !require_equal_extents(c, 1, 2) ||
      (c.rank(0) != 0 && !require_equal_extents(c, 0, 1))) {
    return;
  }
  c.result(c.dtype(1), c.extents(1),
           [&](const Terms& i) { return select(is_set(c.read(0, c.rank(0) == 0 ? Terms() : i)), c.read(1, i), c.read(2, i)); });
}

Relation relation_of(const std::string& direction) {
  return direction == "EQ"   ? equal
         : direction == "NE" ? not_equal
         : direction == "LT" ? less
         : direction == "LE" ? less_or_equal
         : direction == "GT" ? greater
                             : greater_or_equal;
}

// Operands of one shape.
void define_compare(OpContext& c) {
  if (require_same_dtype(c, 0, 1) && require_equal_extents(c, 0, 1)) {
    relate(c, relation_of(c.attr_string("direction")), Alignment::Last);
  }
}

OpDef pairwise(std::string_view name, void (*define)(OpContext&), bool commutative) {
  return {
      .name = name, .operands = {{"a"}, {"b"}}, .traits = {.commutative = commutative, .elementwise = true}, .define = define};
}

}  // namespace

std::vector<OpDef> logic_ops() {
  return {
      pairwise("Equal", define_comparison<equal, false>, true),
      pairwise("Less", define_comparison<less>, false),
      pairwise("LessOrEqual", define_comparison<less_or_equal>, false),
      pairwise("Greater", define_comparison<greater>, false),
      pairwise("GreaterOrEqual", define_comparison<greater_or_equal>, false),
      pairwise("And", define_truth<conjunction>, true),
      pairwise("Or", define_truth<disjunction>, true),
      pairwise("Xor", define_truth<not_equal>, true),
      {.name = "Not", .operands = {{"x"}}, .traits = {.elementwise = true}, .define = define_not},
      {.name = "IsNaN", .operands = {{"x"}}, .traits = {.elementwise = true}, .define = define_is_nan},
      {.name = "IsInf",
       .operands = {{"x"}},
       .attributes = {{.name = "detect_negative", .otherwise = 1, .domain = AttrDomain::Flag},
                      {.name = "detect_positive", .otherwise = 1, .domain = AttrDomain::Flag}},
       .traits = {.elementwise = true},
       .define = define_is_inf},
      {.name = "Where", .operands = {{"condition"}, {"a"}, {"b"}}, .traits = {.elementwise = true}, .define = define_where},
      {.name = "select", .operands = {{"condition"}, {"a"}, {"b"}}, .traits = {.elementwise = true}, .define = define_select},
      {.name = "compare",
       .operands = {{"a"}, {"b"}},
       .attributes = {{.name = "direction", .type = AttrType::String, .choices = {"EQ", "NE", "LT", "LE", "GT", "GE"}}},
       .traits = {.elementwise = true},
       .define = define_compare},
      from_axis("equal_6", define_comparison<equal, false, Alignment::FromAxis>),
      from_axis("less_6", define_comparison<less, true, Alignment::FromAxis>),
      from_axis("greater_6", define_comparison<greater, true, Alignment::FromAxis>),
      from_axis("and_6", define_truth<conjunction, Alignment::FromAxis>),
      from_axis("or_6", define_truth<disjunction, Alignment::FromAxis>),
      from_axis("xor_6", define_truth<not_equal, Alignment::FromAxis>),
  };
}

}  // namespace vouch
