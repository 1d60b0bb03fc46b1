// Numbers kept as small integers with a scale and a zero point: real value = (q - zero point) * scale. Rounding is to nearest,
// ties to even; what does not fit saturates.
//
// The quotient by the scale is rounded to the scale's type before it is rounded to an integer, which decides near ties.
#include <fmt/format.h>

#include "graph/ops/operands.h"
#include "graph/ops/scalars.h"
#include "graph/ops/themes.h"

namespace vouch {
namespace {

bool require_quantized(OpContext& c, std::size_t operand) {
  DType dtype = c.dtype(operand);
  if (dtype == DType::Int8 || dtype == DType::UInt8 || dtype == DType::Int16 || dtype == DType::UInt16) {
    return true;
  }
  c.fail(fmt::format("{} must be of int8, uint8, int16 or uint16, found {}", c.def().operands[operand].name,
                     c.type(operand).text()));
  return false;
}

// The axis of x along which scale and zero point have one element for each position, or none: one element for all.
using ScaleAxis = std::optional<std::size_t>;

// Scale or zero point at an index of x.
Term along(const OpContext& c, std::size_t operand, ScaleAxis axis, const Terms& i) {
  if (!c.has(operand)) {
    return real(0);
  }
  return c.read(operand, axis ? Terms{i[*axis]} : Terms(c.rank(operand), Term(0)));
}

// Scale and zero point agree, and fit x. They have equal sizes, of which either may be the one that is known.
std::optional<ScaleAxis> require_scale(OpContext& c) {
  if (c.rank(1) > 1 || (c.has(2) && !require_equal_extents(c, 1, 2))) {
    c.fail("the scale must be a scalar or a vector, and the zero point likewise");
    return std::nullopt;
  }
  auto is_one = [&c](std::size_t operand) { return c.has(operand) && const_int(c.extent(operand, 0)) == 1; };
  if (c.rank(1) == 0 || is_one(1) || is_one(2)) {
    return ScaleAxis();
  }
  std::size_t axis = c.normal_axis(c.attr_int_value("axis"), c.rank(0));
  if (!c.failed()) {
    c.require(eq(c.extent(1, 0), c.extent(0, axis)), "the scale has one element for each position of the axis");
  }
  return c.failed() ? std::nullopt : std::optional(ScaleAxis(axis));
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
  c.result(dtype, c.extents(0),
           [&](const Terms& i) { return quantised(dtype, c.read_local("quotient", i), along(c, 2, *axis, i)); });
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
  const std::vector<OperandDef> operands{{"x"}, {"scale"}, {"zero_point", OperandKind::Optional}};
  return {
      {.name = "QuantizeLinear",
       .operands = operands,
       // Whether 8-bit floats saturate, which integers do anyway.
       .attributes = {{.name = "axis", .otherwise = 1, .domain = AttrDomain::Axis},
                      {.name = "saturate", .otherwise = 1, .domain = AttrDomain::Flag}},
       .define = define_quantize},
      {.name = "DequantizeLinear",
       .operands = operands,
       .attributes = {{.name = "axis", .otherwise = 1, .domain = AttrDomain::Axis}},
       .define = define_dequantize},
  };
}

}  // namespace vouch
