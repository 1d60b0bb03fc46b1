#include "kernel/scalar_functions.h"

#include <cmath>

namespace vouch {
namespace {

template <class F>
void each(const FunctionLanes& lanes, F f) {
  if (lanes.a_step == 1 && lanes.b_step == 1) {
    for (std::int64_t i = 0; i < lanes.count; ++i) {
      lanes.out[i] = f(lanes.a[i], lanes.b[i]);
    }
    return;
  }
  for (std::int64_t i = 0; i < lanes.count; ++i) {
    lanes.out[i] = f(lanes.a[i * lanes.a_step], lanes.b[i * lanes.b_step]);
  }
}

template <class F>
void each_one(const FunctionLanes& lanes, F f) {
  for (std::int64_t i = 0; i < lanes.count; ++i) {
    lanes.out[i] = f(lanes.a[i * lanes.a_step]);
  }
}

double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }

// The remainder with the sign of the divisor.
double floor_remainder(double a, double b) {
  double rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

}  // namespace

void apply_function(Fn fn, const FunctionLanes& lanes) {
  switch (fn) {
    case Fn::Exp: return each_one(lanes, [](double x) { return std::exp(x); });
    case Fn::Log: return each_one(lanes, [](double x) { return std::log(x); });
    case Fn::Sqrt: return each_one(lanes, [](double x) { return std::sqrt(x); });
    case Fn::Tanh: return each_one(lanes, [](double x) { return std::tanh(x); });
    case Fn::Erf: return each_one(lanes, [](double x) { return std::erf(x); });
    case Fn::Abs: return each_one(lanes, [](double x) { return std::fabs(x); });
    case Fn::Sign: return each_one(lanes, [](double x) { return sign(x); });
    case Fn::Floor: return each_one(lanes, [](double x) { return std::floor(x); });
    case Fn::Ceil: return each_one(lanes, [](double x) { return std::ceil(x); });
    case Fn::Round: return each_one(lanes, [](double x) { return std::nearbyint(x); });
    case Fn::Trunc: return each_one(lanes, [](double x) { return std::trunc(x); });
    case Fn::Sin: return each_one(lanes, [](double x) { return std::sin(x); });
    case Fn::Cos: return each_one(lanes, [](double x) { return std::cos(x); });
    case Fn::Tan: return each_one(lanes, [](double x) { return std::tan(x); });
    case Fn::Asin: return each_one(lanes, [](double x) { return std::asin(x); });
    case Fn::Acos: return each_one(lanes, [](double x) { return std::acos(x); });
    case Fn::Atan: return each_one(lanes, [](double x) { return std::atan(x); });
    case Fn::Sinh: return each_one(lanes, [](double x) { return std::sinh(x); });
    case Fn::Cosh: return each_one(lanes, [](double x) { return std::cosh(x); });
    case Fn::Asinh: return each_one(lanes, [](double x) { return std::asinh(x); });
    case Fn::Acosh: return each_one(lanes, [](double x) { return std::acosh(x); });
    case Fn::Atanh: return each_one(lanes, [](double x) { return std::atanh(x); });
    case Fn::Min: return each(lanes, lesser_of);
    case Fn::Max: return each(lanes, greater_of);
    case Fn::Pow: return each(lanes, [](double x, double y) { return std::pow(x, y); });
    case Fn::Mod: return each(lanes, floor_remainder);
    case Fn::Fmod: return each(lanes, [](double x, double y) { return std::fmod(x, y); });
    case Fn::TruncDiv: return each(lanes, [](double x, double y) { return std::trunc(x / y); });
  }
}

}  // namespace vouch
