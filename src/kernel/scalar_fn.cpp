#include "kernel/scalar_fn.h"

#include <cmath>

namespace vouch {

double apply_fn(Fn fn, double a, double b) {
  switch (fn) {
    case Fn::Exp: return std::exp(a);
    case Fn::Log: return std::log(a);
    case Fn::Sqrt: return std::sqrt(a);
    case Fn::Tanh: return std::tanh(a);
    case Fn::Erf: return std::erf(a);
    case Fn::Abs: return std::fabs(a);
    case Fn::Sign: return std::isnan(a) ? a : (a > 0) - (a < 0);
    case Fn::Floor: return std::floor(a);
    case Fn::Ceil: return std::ceil(a);
    case Fn::Round: return std::nearbyint(a);
    case Fn::Trunc: return std::trunc(a);
    case Fn::Sin: return std::sin(a);
    case Fn::Cos: return std::cos(a);
    case Fn::Tan: return std::tan(a);
    case Fn::Asin: return std::asin(a);
    case Fn::Acos: return std::acos(a);
    case Fn::Atan: return std::atan(a);
    case Fn::Sinh: return std::sinh(a);
    case Fn::Cosh: return std::cosh(a);
    case Fn::Asinh: return std::asinh(a);
    case Fn::Acosh: return std::acosh(a);
    case Fn::Atanh: return std::atanh(a);
    case Fn::Min: return smaller(a, b);
    case Fn::Max: return larger(a, b);
    case Fn::Pow: return std::pow(a, b);
    case Fn::Mod: return a - b * std::floor(a / b);
    case Fn::Fmod: return std::fmod(a, b);
    case Fn::TruncDiv: return std::trunc(a / b);
  }
  return NAN;
}

}  // namespace vouch
