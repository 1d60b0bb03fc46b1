// Computations on quantised integers: what each operand stands for, (q - zero point) * scale, is computed with, and the result is
// quantised again, saturate(round(y / scale) + zero point), ties to even.
//
// Sums of integers are exact. What stands between them and the rounding is computed in real numbers: ONNX does not say in which
// type, and implementations that round scales or quotients to float32 differ by one where y / scale is nearly a tie.
#include <fmt/format.h>

#include "graph/ops/broadcast.h"
#include "graph/ops/convolve.h"
#include "graph/ops/matrix_product.h"
#include "graph/ops/scalars.h"
#include "graph/ops/themes.h"

namespace vouch {
namespace {

// Positions of a tensor of bytes, of its scale and of its zero point.
struct Quantised {
  std::size_t value;
  std::size_t scale;
  std::size_t zero;
};

bool is_byte(const OpContext& c, std::size_t operand) {
  return c.dtype(operand) == DType::Int8 || c.dtype(operand) == DType::UInt8;
}

bool require_byte(OpContext& c, std::size_t operand) {
  if (!c.failed() && !is_byte(c, operand)) {
    c.fail(fmt::format("{} must be of int8 or uint8, found {}", c.def().operands[operand].name, c.type(operand).text()));
  }
  return !c.failed();
}

// One element, or `count` of them.
void require_one_or(OpContext& c, std::size_t operand, std::optional<Term> count) {
  if (!c.has(operand) || c.failed() || c.rank(operand) == 0) {
    return;
  }
  std::string one = fmt::format("{} must be one element, found {}", c.def().operands[operand].name, c.type(operand).text());
  if (c.rank(operand) != 1) {
    return c.fail(std::move(one));
  }
  require_one_or_each(
      c, operand, count.value_or(Term(1)),
      count ? fmt::format("{} has one element, or one for each of those that it is for", c.def().operands[operand].name) : one);
}

// `count`: of elements that scale and zero point may have instead of one.
bool require_quantised(OpContext& c, const Quantised& q, std::optional<Term> count = {}) {
  if (!require_byte(c, q.value) || !require_float(c, q.scale)) {
    return false;
  }
  if (c.has(q.zero) && !require_same_dtype(c, q.value, q.zero)) {
    return false;
  }
  require_one_or(c, q.scale, count);
  require_one_or(c, q.zero, count);
  return !c.failed();
}

// The element of a scale or zero point for this position of `count`; an absent zero point is 0.
Term at_or_only(const OpContext& c, std::size_t operand, Term position, std::optional<Term> count) {
  if (!c.has(operand)) {
    return real(0);
  }
  bool one = c.rank(operand) == 0 || !count;
  return one ? c.read(operand, Terms(c.rank(operand), Term(0))) : read_one_or_each(c, operand, *count, position);
}

Term only(const OpContext& c, std::size_t operand) { return at_or_only(c, operand, Term(0), {}); }

Term stands_for(const OpContext& c, const Quantised& q, Term element) { return (element - only(c, q.zero)) * only(c, q.scale); }

// Scale and zero point of a result, which has the zero point's type, else this one.
struct Target {
  std::size_t scale;
  std::size_t zero;
  DType dtype;

  Term quantised(const OpContext& c, Term y) const { return vouch::quantised(dtype, y / only(c, scale), only(c, zero)); }
};

std::optional<Target> require_target(OpContext& c, std::size_t scale, std::size_t zero, DType otherwise) {
  if (c.failed() || !require_float(c, scale) || (c.has(zero) && !require_byte(c, zero))) {
    return std::nullopt;
  }
  require_one_or(c, scale, {});
  require_one_or(c, zero, {});
  return c.failed() ? std::nullopt : std::optional(Target{scale, zero, c.has(zero) ? c.dtype(zero) : otherwise});
}

// --- products

// Scales and zero points: one, one for each row of a, or one for each column of b.
std::optional<Term> rows_of(const OpContext& c, std::size_t operand) {
  std::size_t rank = c.rank(operand);
  return rank < 2 ? std::nullopt : std::optional(c.extent(operand, rank - 2));
}

std::optional<Term> columns_of(const OpContext& c, std::size_t operand) {
  std::size_t rank = c.rank(operand);
  return rank < 2 ? std::nullopt : std::optional(c.extent(operand, rank - 1));
}

// Scales and zero points of factors, at a position of those.
Term of_row(const OpContext& c, const Quantised& a, std::size_t operand, Term row) {
  return at_or_only(c, operand, row, rows_of(c, a.value));
}

Term of_column(const OpContext& c, const Quantised& b, std::size_t operand, Term column) {
  return at_or_only(c, operand, column, columns_of(c, b.value));
}

bool require_factors(OpContext& c, const Quantised& a, const Quantised& b) {
  return require_rank_at_least(c, a.value, 1) && require_rank_at_least(c, b.value, 1) &&
         require_quantised(c, a, rows_of(c, a.value)) && require_quantised(c, b, columns_of(c, b.value));
}

MatrixProduct product_of_integers(OpContext& c, const Quantised& a, const Quantised& b) {
  MatrixProduct product;
  product.right = b.value;
  product.term = [&c, a, b](Term x, const Terms& at_x, Term y, const Terms& at_y) {
    Term row = at_x.size() < 2 ? Term(0) : at_x[at_x.size() - 2];
    return (x - of_row(c, a, a.zero, row)) * (y - of_column(c, b, b.zero, at_y.back()));
  };
  return product;
}

void define_qlinear_matmul(OpContext& c) {
  const Quantised a{0, 1, 2};
  const Quantised b{3, 4, 5};
  auto target = require_factors(c, a, b) ? require_target(c, 6, 7, c.dtype(0)) : std::nullopt;
  if (!target) {
    return;
  }
  MatrixProduct product = product_of_integers(c, a, b);
  product.finish = [&](Term sum, const Terms& i) {
    Term row = c.rank(0) < 2 || i.empty() ? Term(0) : i[i.size() - (c.rank(3) < 2 ? 1 : 2)];
    Term column = c.rank(3) < 2 || i.empty() ? Term(0) : i.back();
    return target->quantised(c, sum * (of_row(c, a, a.scale, row) * of_column(c, b, b.scale, column)));
  };
  result_matmul(c, target->dtype, product);
}

// ONNX Runtime's: what the product stands for, plus a bias for each column.
void define_matmul_integer_to_float(OpContext& c) {
  const Quantised a{0, 2, 4};
  const Quantised b{1, 3, 5};
  if (!require_factors(c, a, b) || !require_same_dtype(c, 2, 3)) {
    return;
  }
  if (c.has(6) && (!require_rank(c, 6, 1) || !require_same_dtype(c, 2, 6))) {
    return;
  }
  if (c.has(6)) {
    c.require(eq(c.extent(6, 0), c.extents(1).back()), "the bias has one element for each column of b");
  }
  MatrixProduct product = product_of_integers(c, a, b);
  product.finish = [&](Term sum, const Terms& i) {
    Term row = c.rank(0) < 2 || i.empty() ? Term(0) : i[i.size() - (c.rank(1) < 2 ? 1 : 2)];
    Term column = c.rank(1) < 2 || i.empty() ? Term(0) : i.back();
    Term y = sum * (of_row(c, a, a.scale, row) * of_column(c, b, b.scale, column));
    return c.has(6) ? y + c.read(6, {column}) : y;
  };
  result_matmul(c, c.dtype(2), product);
}

// ONNX Runtime's: the bias has the scale of the products, which alpha is part of. Without a scale the result is a float.
void define_quantised_gemm(OpContext& c) {
  const Quantised a{0, 1, 2};
  const Quantised b{3, 4, 5};
  bool flip_b = c.attr_int_value("transB") != 0;
  if (c.failed() || !require_rank(c, a.value, 2) || !require_rank(c, b.value, 2)) {
    return;
  }
  Term columns = c.extent(b.value, flip_b ? 0 : 1);
  if (!require_quantised(c, a) || !require_quantised(c, b, columns)) {
    return;
  }
  bool is_float = !c.has(7);
  auto target = is_float ? std::nullopt : require_target(c, 7, 8, c.dtype(0));
  if ((!is_float && !target) || (c.has(6) && c.dtype(6) != DType::Int32)) {
    return c.failed() ? void() : c.fail("the bias must be of int32");
  }
  MatrixProduct product;
  product.right = b.value;
  product.flip_a = c.attr_int_value("transA") != 0;
  product.flip_b = flip_b;
  Terms extents{c.extent(0, product.flip_a ? 1 : 0), columns};
  if (c.has(6)) {
    require_broadcasts_to(c, 6, extents);
  }
  product.term = [&](Term x, const Terms&, Term y, const Terms& at_y) {
    return (x - only(c, a.zero)) * (y - at_or_only(c, b.zero, at_y[flip_b ? 0 : 1], columns));
  };
  product.finish = [&](Term sum, const Terms& i) {
    Term scale = c.attr_float("alpha") * only(c, a.scale) * at_or_only(c, b.scale, i[1], columns);
    Term y = (c.has(6) ? sum + read_broadcast(c, 6, extents, i) : sum) * scale;
    return target ? target->quantised(c, y) : y;
  };
  result_matmul(c, target ? target->dtype : c.dtype(a.scale), product);
}

// --- convolutions

void define_conv_integer(OpContext& c) {
  if (!require_byte(c, 0) || !require_byte(c, 1)) {
    return;
  }
  auto convolution = require_convolution(c, 1);
  for (std::size_t side : {0, 1}) {
    if (convolution && c.has(side + 2) && require_same_dtype(c, side, side + 2)) {
      require_one_or(c, side + 2, side == 0 ? std::nullopt : std::optional(c.extent(1, 0)));
    }
  }
  if (!convolution || c.failed()) {
    return;
  }
  convolution->offset_x = [&c] { return only(c, 2); };
  convolution->offset_w = [&c](Term output) { return at_or_only(c, 3, output, c.extent(1, 0)); };
  c.result(DType::Int32, convolution->extents(c), [&](const Terms& i) { return convolution_sum(c, *convolution, i); });
}

void define_qlinear_conv(OpContext& c) {
  const Quantised x{0, 1, 2};
  const Quantised w{3, 4, 5};
  auto convolution = require_convolution(c, w.value);
  if (!convolution || !require_quantised(c, x) || !require_quantised(c, w, c.extent(w.value, 0))) {
    return;
  }
  auto target = require_target(c, 6, 7, c.dtype(0));
  if (!target) {
    return;
  }
  if (c.has(8) && (c.dtype(8) != DType::Int32 || c.rank(8) != 1)) {
    return c.fail("the bias must be a vector of int32");
  }
  if (c.has(8)) {
    c.require(eq(c.extent(8, 0), c.extent(w.value, 0)), "the bias has one element for each output channel");
  }
  convolution->offset_x = [&] { return only(c, x.zero); };
  convolution->offset_w = [&](Term output) { return at_or_only(c, w.zero, output, c.extent(w.value, 0)); };
  c.result(target->dtype, convolution->extents(c), [&](const Terms& i) {
    Term sum = convolution_sum(c, *convolution, i);
    sum = c.has(8) ? sum + c.read(8, {i[1]}) : sum;
    return target->quantised(c, sum * (only(c, x.scale) * at_or_only(c, w.scale, i[1], c.extent(w.value, 0))));
  });
}

// --- element by element

template <class Combine>
void define_binary(OpContext& c, Combine combine) {
  const Quantised a{0, 1, 2};
  const Quantised b{3, 4, 5};
  auto target = require_quantised(c, a) && require_quantised(c, b) ? require_target(c, 6, 7, c.dtype(0)) : std::nullopt;
  if (!target) {
    return;
  }
  Terms extents = broadcast_extents(c, {c.extents(0), c.extents(3)});
  c.result(target->dtype, extents, [&](const Terms& i) {
    Term x = stands_for(c, a, read_broadcast(c, 0, extents, i));
    Term y = stands_for(c, b, read_broadcast(c, 3, extents, i));
    return target->quantised(c, combine(x, y));
  });
}

void define_qlinear_add(OpContext& c) {
  define_binary(c, [](Term a, Term b) { return a + b; });
}

void define_qlinear_mul(OpContext& c) {
  define_binary(c, [](Term a, Term b) { return a * b; });
}

template <class Element>
void define_unary(OpContext& c, Element element) {
  const Quantised x{0, 1, 2};
  auto target = require_quantised(c, x) ? require_target(c, 3, 4, c.dtype(0)) : std::nullopt;
  if (target) {
    c.result(target->dtype, c.extents(0),
             [&](const Terms& i) { return target->quantised(c, element(stands_for(c, x, c.read(0, i)))); });
  }
}

void define_qlinear_sigmoid(OpContext& c) {
  define_unary(c, [](Term x) { return real(1) / (real(1) + call(Fn::Exp, {-x})); });
}

void define_qlinear_leaky_relu(OpContext& c) {
  Term alpha = c.attr_float("alpha");
  define_unary(c, [&](Term x) { return select(real_lt(x, real(0)), alpha * x, x); });
}

void define_qlinear_global_average_pool(OpContext& c) {
  const Quantised x{0, 1, 2};
  if (c.attr_int_value("channels_last") != 0) {
    return c.failed() ? void() : c.fail_undecided("channels_last must be 0");
  }
  auto target = require_rank_at_least(c, 0, 3) && require_quantised(c, x) ? require_target(c, 3, 4, c.dtype(0)) : std::nullopt;
  if (!target) {
    return;
  }
  Terms sizes = spatial(c.extents(0));
  require_non_empty(c, sizes, "a spatial size");
  Terms extents(c.rank(0), Term(1));
  extents[0] = c.extent(0, 0);
  extents[1] = c.extent(0, 1);
  c.result(target->dtype, extents, [&](const Terms& i) {
    std::vector<BoundIndex> bound;
    for (Term size : sizes) {
      bound.push_back(c.bound("r" + std::to_string(bound.size()), size));
    }
    Terms at = variables_of(bound);
    at.insert(at.begin(), {i[0], i[1]});
    Term sum = reduce(Reduction::Sum, bound, bool_const(true), c.read(0, at) - only(c, x.zero));
    return target->quantised(c, sum / real_of(product_of(sizes)) * only(c, x.scale));
  });
}

// --- DynamicQuantizeLinear: the scale takes the range of x, widened to hold 0, onto 0 … 255. Each number is rounded to float32
// before it is used; an input that is 0 everywhere has the scale 1.

// The least or the greatest of x and 0.
Term extreme_with_zero(OpContext& c, Reduction reduction) {
  std::vector<BoundIndex> bound;
  for (std::size_t axis = 0; axis < c.rank(0); ++axis) {
    bound.push_back(c.bound("r" + std::to_string(axis), c.extent(0, axis)));
  }
  Term element = c.read(0, variables_of(bound));
  Term extreme = bound.empty() ? element : reduce(reduction, bound, bool_const(true), element);
  return call(reduction == Reduction::Min ? Fn::Min : Fn::Max, {extreme, real(0)});
}

void define_dynamic_quantize(OpContext& c) {
  if (c.dtype(0) != DType::Float32) {
    return c.fail("x must be of float32, found " + c.type(0).text());
  }
  c.local("low", DType::Float32, {}, [&](const Terms&) { return extreme_with_zero(c, Reduction::Min); });
  c.local("high", DType::Float32, {}, [&](const Terms&) { return extreme_with_zero(c, Reduction::Max); });
  auto local = [&](std::string_view name) { return c.read_local(name, {}); };
  c.local("range", DType::Float32, {}, [&](const Terms&) { return local("high") - local("low"); });
  c.local("step", DType::Float32, {},
          [&](const Terms&) { return select(real_eq(local("range"), real(0)), real(1), local("range") / real(255)); });
  c.local("offset", DType::Float32, {}, [&](const Terms&) { return -local("low") / local("step"); });
  c.local("zero", DType::UInt8, {}, [&](const Terms&) { return quantised(DType::UInt8, local("offset"), real(0)); });
  c.local("quotient", DType::Float32, c.extents(0), [&](const Terms& i) { return c.read(0, i) / local("step"); });
  c.result(DType::UInt8, c.extents(0),
           [&](const Terms& i) { return quantised(DType::UInt8, c.read_local("quotient", i), local("zero")); });
  c.result(DType::Float32, {}, [&](const Terms&) { return local("step"); });
  c.result(DType::UInt8, {}, [&](const Terms&) { return local("zero"); });
}

constexpr OperandKind kMaybe = OperandKind::Optional;

OpDef binary(std::string_view name, void (*define)(OpContext&)) {
  return {.name = name,
          .operands = {{"a"},
                       {"a_scale"},
                       {"a_zero_point", kMaybe},
                       {"b"},
                       {"b_scale"},
                       {"b_zero_point", kMaybe},
                       {"c_scale"},
                       {"c_zero_point", kMaybe}},
          .define = define};
}

OpDef unary(std::string_view name, std::vector<AttrDef> attributes, void (*define)(OpContext&)) {
  return {.name = name,
          .operands = {{"x"}, {"x_scale"}, {"x_zero_point", kMaybe}, {"y_scale"}, {"y_zero_point", kMaybe}},
          .attributes = std::move(attributes),
          .define = define};
}

}  // namespace

std::vector<OpDef> quantized_ops() {
  return {
      {.name = "QLinearMatMul",
       .operands = {{"a"}, {"a_scale"}, {"a_zero_point"}, {"b"}, {"b_scale"}, {"b_zero_point"}, {"y_scale"}, {"y_zero_point"}},
       .define = define_qlinear_matmul},
      {.name = "MatMulIntegerToFloat",
       .operands = {{"a"}, {"b"}, {"a_scale"}, {"b_scale"}, {"a_zero_point", kMaybe}, {"b_zero_point", kMaybe}, {"bias", kMaybe}},
       .define = define_matmul_integer_to_float},
      {.name = "QGemm",
       .operands = {{"a"},
                    {"a_scale"},
                    {"a_zero_point"},
                    {"b"},
                    {"b_scale"},
                    {"b_zero_point"},
                    {"c", kMaybe},
                    {"y_scale", kMaybe},
                    {"y_zero_point", kMaybe}},
       .attributes = {float_attribute("alpha", 1.0F),
                      {.name = "transA", .otherwise = 0, .domain = AttrDomain::Flag},
                      {.name = "transB", .otherwise = 0, .domain = AttrDomain::Flag}},
       .define = define_quantised_gemm},
      {.name = "ConvInteger",
       .operands = {{"x"}, {"w"}, {"x_zero_point", kMaybe}, {"w_zero_point", kMaybe}},
       .attributes = convolution_attributes(),
       .define = define_conv_integer},
      {.name = "QLinearConv",
       .operands = {{"x"},
                    {"x_scale"},
                    {"x_zero_point"},
                    {"w"},
                    {"w_scale"},
                    {"w_zero_point"},
                    {"y_scale"},
                    {"y_zero_point"},
                    {"b", kMaybe}},
       .attributes = convolution_attributes(),
       .define = define_qlinear_conv},
      binary("QLinearAdd", define_qlinear_add),
      binary("QLinearMul", define_qlinear_mul),
      unary("QLinearSigmoid", {}, define_qlinear_sigmoid),
      unary("QLinearLeakyRelu", {float_attribute("alpha", 0.01F)}, define_qlinear_leaky_relu),
      unary("QLinearGlobalAveragePool", {{.name = "channels_last", .otherwise = 0, .domain = AttrDomain::Flag}},
            define_qlinear_global_average_pool),
      {.name = "DynamicQuantizeLinear", .operands = {{"x"}}, .define = define_dynamic_quantize, .several_results = true},
  };
}

}  // namespace vouch
