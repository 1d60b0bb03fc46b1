// Numbers kept as small integers with a scale and a zero point: real value = (q - zero point) * scale. Rounding is to nearest,
// ties to even; what does not fit saturates.
//
// The quotient by the scale is rounded to the scale's type before it is rounded to an integer, which decides near ties. A float
// of 8 bits is the quotient itself, rounded and saturated; its zero point gives the type alone.
#include <fmt/format.h>

#include "graph/ops/broadcast.h"
#include "graph/ops/operands.h"
#include "graph/ops/scalars.h"
#include "graph/ops/themes.h"

namespace vouch {
namespace {

bool require_quantized(OpContext& c, std::size_t operand) {
  DType dtype = c.dtype(operand);
  if ((is_integer(dtype) && bit_width(dtype) <= 16) || is_float8(dtype)) {
    return true;
  }
  c.fail(fmt::format("{} must be of integers of at most 16 bits or floats of 8, found {}", c.def().operands[operand].name,
                     c.type(operand).text()));
  return false;
}

// Which element of scale and zero point belongs to an element of x: the only one; that of its position along an axis, where it
// may be the only one, too; or that of its block, where positions along the axis have one for `block` of them that follow one
// another (perhaps: a block of 0 means that there are none).
struct ScaleAxis {
  std::optional<std::size_t> axis;
  std::optional<Term> block;
  bool perhaps = false;
};

// Scale or zero point at an index of x.
Term along(const OpContext& c, std::size_t operand, const ScaleAxis& scale, const Terms& i) {
  if (!c.has(operand) || is_float8(c.dtype(operand))) {
    return real(0);
  }
  if (!scale.axis) {
    return read_scalar(c, operand);
  }
  Term position = i[*scale.axis];
  Term own = broadcast_indices({c.extent(operand, 0)}, {c.extent(0, *scale.axis)}, {position})[0];
  if (scale.perhaps) {
    return c.read(operand, {int_select(eq(*scale.block, 0), own, floor_div(position, int_max(*scale.block, 1)))});
  }
  if (!scale.block) {
    return c.read(operand, {own});
  }
  Terms at = i;
  at[*scale.axis] = floor_div(position, *scale.block);
  return c.read(operand, at);
}

bool are_vectors(const OpContext& c) { return c.rank(0) == 1 && c.rank(1) == 1; }

// Has the scale the rank of x, and an element for each block along an axis? Of vectors the attribute decides.
bool is_blocked(OpContext& c) {
  auto block = const_int(c.attr_int("block_size"));
  return c.rank(1) > 1 || (are_vectors(c) && block && *block != 0);
}

std::optional<ScaleAxis> require_blocks(OpContext& c) {
  if (c.rank(1) != c.rank(0)) {
    c.fail("the scale must be a scalar, a vector, or have the rank of x, and the zero point likewise");
    return std::nullopt;
  }
  std::size_t axis = c.normal_axis(c.attr_int_value("axis"), c.rank(0));
  Term block = c.attr_int("block_size");
  c.require(ge(block, 1), "block_size must be at least 1 where the scale has the rank of x");
  for (std::size_t k = 0; k < c.rank(0) && !c.failed(); ++k) {
    Term blocks = k == axis ? floor_div(c.extent(0, k) + block - 1, block) : c.extent(0, k);
    c.require(eq(c.extent(1, k), blocks), "the scale has one element for each block of the axis");
  }
  return c.failed() ? std::nullopt : std::optional(ScaleAxis{axis, block});
}

// Of vectors, where it is not known whether there are blocks.
std::optional<ScaleAxis> require_perhaps_blocks(OpContext& c) {
  Term size = c.extent(0, 0);
  Term count = c.extent(1, 0);
  Term block = c.attr_int("block_size");
  Term none = both(eq(block, 0), either(eq(count, size), eq(count, 1)));
  Term some = both(ge(block, 1), eq(count, floor_div(size + block - 1, int_max(block, 1))));
  c.require(either(none, some), "the scale has one element, or one for each position or block of the axis");
  return c.failed() ? std::nullopt : std::optional(ScaleAxis{0, block, true});
}

// Scale and zero point agree, and fit x. They have equal sizes, of which either may be the one that is known.
std::optional<ScaleAxis> require_scale(OpContext& c) {
  if (c.has(2) && !require_equal_extents(c, 1, 2)) {
    c.fail("scale and zero point must have the same shape");
    return std::nullopt;
  }
  if (is_blocked(c)) {
    return require_blocks(c);
  }
  auto is_one = [&c](std::size_t operand) { return c.has(operand) && const_int(c.extent(operand, 0)) == 1; };
  if (c.rank(1) == 0 || is_one(1) || is_one(2)) {
    return c.failed() ? std::nullopt : std::optional(ScaleAxis());
  }
  // One element serves whatever the axis is.
  std::int64_t axis = c.attr_int_value("axis");
  auto rank = static_cast<std::int64_t>(c.rank(0));
  if (axis < -rank || axis >= rank) {
    c.require(eq(c.extent(1, 0), 1), fmt::format("a scale along axis {} of rank {} has one element", axis, rank));
    return c.failed() ? std::nullopt : std::optional(ScaleAxis());
  }
  auto at = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
  if (are_vectors(c) && !is_const(c.attr_int("block_size"))) {
    return require_perhaps_blocks(c);
  }
  require_one_or_each(c, 1, c.extent(0, at), "the scale has one element, or one for each position of the axis");
  return c.failed() ? std::nullopt : std::optional(ScaleAxis{at, {}});
}

void define_quantize(OpContext& c) {
  bool known = is_float(c.dtype(0)) || c.dtype(0) == DType::Int32;
  if (!known || !require_float(c, 1) || (c.has(2) && !require_quantized(c, 2))) {
    return c.failed() ? void() : c.fail("x must be of a float type or int32");
  }
  auto axis = require_scale(c);
  if (!axis) {
    return;
  }
  DType dtype = c.has(2) ? c.dtype(2) : DType::UInt8;
  c.local("quotient", c.dtype(1), c.extents(0), [&](const Terms& i) { return c.read(0, i) / along(c, 1, *axis, i); });
  bool saturates = !is_float8(dtype) || c.attr_int_value("saturate") != 0;
  c.result(dtype, c.extents(0), [&](const Terms& i) {
    Term quotient = c.read_local("quotient", i);
    return !is_float8(dtype) ? quantised(dtype, quotient, along(c, 2, *axis, i))
           : saturates       ? saturated(dtype, quotient)
                             : quotient;
  });
}

void define_dequantize(OpContext& c) {
  bool wide = c.dtype(0) == DType::Int32;  // a bias, as a rule
  if (!require_float(c, 1) || (!wide && !require_quantized(c, 0)) || (c.has(2) && !require_same_dtype(c, 0, 2))) {
    return;
  }
  auto axis = require_scale(c);
  if (axis) {
    c.result(c.dtype(1), c.extents(0),
             [&](const Terms& i) { return (c.read(0, i) - along(c, 2, *axis, i)) * along(c, 1, *axis, i); });
  }
}

}  // namespace

std::vector<OpDef> quantization_ops() {
  const AttrDef block{.name = "block_size", .otherwise = 0};
  const std::vector<OperandDef> operands{{"x"}, {"scale"}, {"zero_point", OperandKind::Optional}};
  return {
      {.name = "QuantizeLinear",
       .operands = operands,
       // Whether 8-bit floats saturate, which integers do anyway.
       .attributes = {{.name = "axis", .otherwise = 1, .domain = AttrDomain::Axis},
                      {.name = "saturate", .otherwise = 1, .domain = AttrDomain::Flag},
                      block},
       .define = define_quantize},
      {.name = "DequantizeLinear",
       .operands = operands,
       .attributes = {{.name = "axis", .otherwise = 1, .domain = AttrDomain::Axis}, block},
       .define = define_dequantize},
  };
}

}  // namespace vouch
