#include "array/arithmetic.h"

#include <cmath>

#include "array/lanes.h"
#include "support/fault.h"

namespace vouch::array {

float apply_op(Op op, const std::vector<float>& x) {
  ensure(!cast_of(op), "programs over one type have no conversions");
  switch (op) {
    case Op::Neg: return -x[0];
    case Op::Abs: return std::fabs(x[0]);
    case Op::Sqrt: return std::sqrt(x[0]);
    case Op::Exp: return std::exp(x[0]);
    case Op::Log: return std::log(x[0]);
    case Op::Tanh: return std::tanh(x[0]);
    case Op::Tan: return std::tan(x[0]);
    case Op::Asin: return std::asin(x[0]);
    case Op::Acos: return std::acos(x[0]);
    case Op::Atan: return std::atan(x[0]);
    case Op::Sinh: return std::sinh(x[0]);
    case Op::Cosh: return std::cosh(x[0]);
    case Op::Asinh: return std::asinh(x[0]);
    case Op::Acosh: return std::acosh(x[0]);
    case Op::Atanh: return std::atanh(x[0]);
    case Op::Erf: return std::erf(x[0]);
    case Op::ExpLanes: return exp_lanes(x[0]);
    case Op::TanhLanes: return tanh_lanes(x[0]);
    case Op::ErfLanes: return erf_lanes(x[0]);
    case Op::Sin: return std::sin(x[0]);
    case Op::Cos: return std::cos(x[0]);
    case Op::Floor: return std::floor(x[0]);
    case Op::Ceil: return std::ceil(x[0]);
    case Op::Round: return std::nearbyint(x[0]);
    case Op::Add: return x[0] + x[1];
    case Op::Sub: return x[0] - x[1];
    case Op::Mul: return x[0] * x[1];
    case Op::Div: return x[0] / x[1];
    case Op::Max: return x[0] < x[1] || std::isnan(x[0]) ? x[1] : x[0];
    case Op::Min: return x[1] < x[0] || std::isnan(x[0]) ? x[1] : x[0];
    case Op::Pow: return std::pow(x[0], x[1]);
    case Op::Less: return x[0] < x[1] ? 1.0F : 0.0F;
    case Op::LessEq: return x[0] <= x[1] ? 1.0F : 0.0F;
    case Op::Equal: return x[0] == x[1] ? 1.0F : 0.0F;
    case Op::Fma: return std::fma(x[0], x[1], x[2]);
    case Op::Sel: return x[0] != 0.0F ? x[1] : x[2];
  }
  fault("no such operation");
}

}  // namespace vouch::array
