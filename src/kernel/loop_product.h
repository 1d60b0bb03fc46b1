// The innermost loop of a sum of products, for loop_run.cpp alone.
#pragma once

#include <cstdint>

namespace vouch {

// total[lane] += x * y for each step in turn. Of one lane after another a moving operand's address is one further; each step
// moves them by `step_x` and `step_y`.
void add_products(const float* x, bool x_moves, std::int64_t step_x, const float* y, bool y_moves, std::int64_t step_y,
                  std::int64_t steps, double* total, std::int64_t lanes);

}  // namespace vouch
