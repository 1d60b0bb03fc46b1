#include "equiv/fold_tolerance.h"

#include <algorithm>
#include <cmath>

namespace vouch {
namespace {

constexpr double kUsual = 1e-6;
constexpr double kRoundings = 4;

}  // namespace

double FoldTolerance::of(DType type) const {
  const bool narrow = exact_bits(type) < exact_bits(DType::Float32);
  return stated_.value_or(narrow ? kRoundings * std::ldexp(1.0, -exact_bits(type)) : kUsual);
}

double FoldTolerance::of(const std::map<Symbol, Tensor>& parameters) const {
  std::optional<double> least;
  for (const auto& [name, value] : parameters) {
    if (is_float(value.dtype())) {
      least = std::min(least.value_or(1), of(value.dtype()));
    }
  }
  return least.value_or(of(DType::Float32));
}

}  // namespace vouch
