// The scalar functions on doubles.
#pragma once

#include <cstdint>

#include "term/term.h"

namespace vouch {

// NaN spreads, whichever side it is on.
inline constexpr auto greater_of = [](double a, double b) { return a > b || a != a ? a : b; };
inline constexpr auto lesser_of = [](double a, double b) { return a < b || a != a ? a : b; };

// out[i] = fn(a[i * a_step], b[i * b_step]) for i < count; `b` is not read by functions of one argument.
struct FunctionLanes {
  double* out;
  const double* a;
  std::int64_t a_step;
  const double* b;
  std::int64_t b_step;
  std::int64_t count;
};
void apply_function(Fn fn, const FunctionLanes& lanes);

}  // namespace vouch
