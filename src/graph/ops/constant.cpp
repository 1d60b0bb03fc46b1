// Tensors that follow from sizes and attributes alone.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "graph/contents.h"
#include "graph/integral_term.h"
#include "graph/ops/operands.h"
#include "graph/ops/positions.h"
#include "graph/ops/scalars.h"
#include "graph/ops/themes.h"
#include "tensor/element.h"
#include "tensor/type_set.h"

namespace vouch {
namespace {

// The element of a tensor attribute as a scalar term; nothing for NaN and -0, which no term stands for.
std::optional<Term> element_of(const Tensor& tensor, std::int64_t position) {
  return is_float(tensor.dtype()) ? scalar_of_double(tensor.double_at(position))
                                  : std::optional(real_const(Rational(whole_element(tensor, position))));
}

// A tensor of one element that a rule leaves open: its type by name and the element as a term.
std::optional<std::pair<DType, Term>> open_element(const AttrValue& value) {
  const AttrTuple* both = value.tuple();
  bool open = both && both->size() == 2 && (*both)[0].string() && (*both)[1].number();
  auto dtype = open ? parse_dtype(*(*both)[0].string()) : std::nullopt;
  if (!dtype) {
    return std::nullopt;
  }
  Term element = *(*both)[1].number();
  return std::pair(*dtype, element.sort() == Sort::Int ? real_of(element) : element);
}

// ConstantOfShape: one value, float32 zero unless given. Filled with what no term stands for, it has a type alone.
void define_constant_of_shape(OpContext& c) {
  auto rank = list_length(c, 0);
  const AttrValue* value = c.attr("value");
  const Tensor* tensor = value ? value->tensor() : nullptr;
  auto open = value ? open_element(*value) : std::nullopt;
  if (tensor && tensor->count() != 1) {
    c.fail("attribute value must have one element");
  }
  auto extents = !rank ? std::nullopt : c.contents(0) ? known_terms(c, 0) : std::optional(fresh_extents(c, *rank));
  if (!extents || c.failed()) {
    return;
  }
  for (Term extent : *extents) {
    if (const_int(extent).value_or(0) < 0) {
      c.fail("a size must not be negative");
    }
  }
  auto element = tensor ? element_of(*tensor, 0) : std::optional(open ? open->second : real(0));
  DType dtype = tensor ? tensor->dtype() : open ? open->first : DType::Float32;
  if (!element) {
    return c.opaque_result(dtype, *extents);
  }
  c.result(dtype, *extents, [&](const Terms&) { return *element; });
}

// --- Range: start, start + delta, … before limit

// ceil((limit - start) / delta) of floats, which are rounded on the way: by the specification's reference after each step, by
// ONNX Runtime after the first and to a double. Nothing where these, and what it is of the numbers themselves, are not one.
std::optional<Integer> steps_of_floats(DType dtype, const Rational& start, const Rational& limit, const Rational& delta) {
  Integer steps = -floor_of(-((limit - start) / delta));
  auto span = nearest_element(dtype, limit - start);
  auto quotient = span ? nearest_element(dtype, *span / delta) : std::nullopt;
  double wide = span ? std::ceil(double_of(*span) / double_of(delta)) : NAN;
  bool one = quotient && -floor_of(-*quotient) == steps && std::isfinite(wide) && rational_of(wide) == Rational(steps);
  return one ? std::optional(steps) : std::nullopt;
}

// max(0, ceil((limit - start) / delta)), where the three are known.
std::optional<Term> range_length(OpContext& c, Term start, Term limit, Term delta) {
  auto s = start.sort() == Sort::Int ? start : integral_term(start).value_or(start);
  auto l = limit.sort() == Sort::Int ? limit : integral_term(limit).value_or(limit);
  auto d = delta.sort() == Sort::Int ? delta : integral_term(delta).value_or(delta);
  if (is_const(d) && d->value == 0) {
    c.fail("delta must not be 0");
    return std::nullopt;
  }
  if (s.sort() == Sort::Int && l.sort() == Sort::Int && d.sort() == Sort::Int) {
    if (!is_const(d)) {
      c.suppose(ge(d, 1), "a delta that is no number is positive");
    }
    bool down = is_const(d) && d->value < 0;
    Term steps = down ? ceil_div(s - l, -d) : ceil_div(l - s, d);
    return is_at_least_one(c, steps) ? steps : int_max(steps, 0);
  }
  if (is_const(s) && is_const(l) && is_const(d)) {
    auto steps = steps_of_floats(c.dtype(0), s->value, l->value, d->value);
    return steps ? std::optional(int_max(int_const(*steps), 0)) : std::nullopt;
  }
  return std::nullopt;
}

void define_range(OpContext& c) {
  if (!require_same_dtype(c, 0, 1) || !require_same_dtype(c, 1, 2) || !require_numeric(c, 0)) {
    return;
  }
  for (std::size_t operand : {0, 1, 2}) {
    require_scalar(c, operand);
  }
  if (c.failed()) {
    return;
  }
  std::optional<Term> length;
  if (c.contents(0) && c.contents(1) && c.contents(2)) {
    length = range_length(c, c.contents(0)->front(), c.contents(1)->front(), c.contents(2)->front());
  }
  if (c.failed()) {
    return;
  }
  c.result(c.dtype(0), {length ? *length : c.fresh_extent()},
           [&](const Terms& i) { return read_scalar(c, 0) + real_of(i[0]) * read_scalar(c, 2); });
}

// iota {shape, axis, dtype}: each element is its position along the axis.
void define_iota(OpContext& c) {
  if (kStorage.contains(dtype_attr(c, "dtype", DType::Int64))) {
    return c.fail("positions are not kept in 4-bit integers and floats of 8 bits");
  }
  Terms shape = c.attr_ints("shape");
  std::size_t axis = c.normal_axis(c.attr_int_value("axis"), shape.size());
  for (Term size : shape) {
    c.require(ge(size, 0), "a size must not be negative");
  }
  c.result(dtype_attr(c, "dtype", DType::Int64), shape, [&](const Terms& i) { return real_of(i[axis]); });
}

// Ones on the k-th diagonal.
void define_eye_like(OpContext& c) {
  if (!require_rank(c, 0, 2)) {
    return;
  }
  c.result(dtype_attr(c, "dtype", c.dtype(0)), c.extents(0),
           [&](const Terms& i) { return truth(eq(i[1], i[0] + c.attr_int("k"))); });
}

// The elements on and above (upper) or on and below the k-th diagonal of each matrix; 0 elsewhere.
void define_trilu(OpContext& c) {
  if (!require_rank_at_least(c, 0, 2)) {
    return;
  }
  if (c.has(1)) {
    require_scalar(c, 1);
  }
  bool upper = c.attr_int_value("upper") != 0;
  c.result(c.dtype(0), c.extents(0), [&](const Terms& i) {
    Term row = i[i.size() - 2];
    Term diagonal = row + (c.has(1) ? int_of(read_scalar(c, 1)) : Term(0));
    return select(upper ? le(diagonal, i.back()) : le(i.back(), diagonal), c.read(0, i), real(0));
  });
}

// --- Constant: the elements are in an attribute; large ones are constants of the graph instead

struct Listed {
  DType dtype;
  Terms extents;
  Terms elements;  // scalar terms, row-major
};

Listed listed(DType dtype, const AttrTuple& items) {
  Listed out{dtype, {Term(static_cast<std::int64_t>(items.size()))}, {}};
  for (const AttrValue& item : items) {
    Term number = *item.number();
    out.elements.push_back(number.sort() == Sort::Int ? real_of(number) : number);
  }
  return out;
}

std::optional<Listed> constant_elements(OpContext& c) {
  if (const AttrValue* value = c.attr("value")) {
    const Tensor& tensor = *value->tensor();
    Listed out{tensor.dtype(), Terms(tensor.extents().begin(), tensor.extents().end()), {}};
    if (tensor.count() > kMostKnownElements) {
      c.fail(fmt::format("more than {} elements: make it a constant of the graph", kMostKnownElements));
      return std::nullopt;
    }
    for (std::int64_t k = 0; k < tensor.count(); ++k) {
      auto element = element_of(tensor, k);
      if (!element) {
        c.fail("NaN and -0 are no values of the index language: make it a constant of the graph");
        return std::nullopt;
      }
      out.elements.push_back(*element);
    }
    return out;
  }
  if (c.has_attr("value_int")) {
    return Listed{DType::Int64, {}, {real_of(c.attr_int("value_int"))}};
  }
  if (c.has_attr("value_float")) {
    return Listed{DType::Float32, {}, {c.attr_float("value_float")}};
  }
  if (const AttrValue* value = c.attr("value_ints")) {
    return listed(DType::Int64, *value->tuple());
  }
  if (const AttrValue* value = c.attr("value_floats")) {
    return listed(DType::Float32, *value->tuple());
  }
  c.fail("one of value, value_int, value_ints, value_float, value_floats is needed");
  return std::nullopt;
}

void define_constant(OpContext& c) {
  auto constant = constant_elements(c);
  if (!constant || c.failed()) {
    return;
  }
  c.result(constant->dtype, constant->extents, [&](const Terms& i) {
    Term flat = flat_index(constant->extents, i);
    Term value = constant->elements.empty() ? real(0) : constant->elements.back();
    for (std::size_t k = constant->elements.size(); k-- > 0;) {
      value = select(eq(flat, static_cast<std::int64_t>(k)), constant->elements[k], value);
    }
    return value;
  });
}

}  // namespace

std::vector<OpDef> constant_ops() {
  auto maybe = [](std::string_view name, AttrType type) { return AttrDef{.name = name, .type = type, .otherwise = Absent{}}; };
  return {
      {.name = "Constant",
       .attributes = {maybe("value", AttrType::Tensor), maybe("value_int", AttrType::Int), maybe("value_ints", AttrType::Ints),
                      maybe("value_float", AttrType::Float), maybe("value_floats", AttrType::Floats)},
       .define = define_constant},
      {.name = "ConstantOfShape",
       .operands = {{"shape", OperandKind::Required, OperandDomain::List}},
       .attributes = {maybe("value", AttrType::Tensor).in(AttrDomain::OneElement)},
       .traits = {.lists_alike = true},
       .define = define_constant_of_shape},
      {.name = "Range", .operands = {{"start"}, {"limit"}, {"delta"}}, .define = define_range},
      {.name = "iota",
       .attributes = {{.name = "shape", .type = AttrType::Ints},
                      {.name = "axis", .otherwise = 0, .domain = AttrDomain::Axis},
                      maybe("dtype", AttrType::DType)},
       .define = define_iota},
      {.name = "EyeLike",
       .operands = {{"x"}},
       .attributes = {maybe("dtype", AttrType::DType), {.name = "k", .otherwise = 0}},
       .traits = {.of_sizes = true},
       .define = define_eye_like},
      {.name = "Trilu",
       .operands = {{"x"}, {"k", OperandKind::Optional}},
       .attributes = {{.name = "upper", .otherwise = 1, .domain = AttrDomain::Flag}},
       .define = define_trilu},
  };
}

}  // namespace vouch
