#include "kernel/loop_product.h"

#include <utility>

namespace vouch {

void add_products(const float* x, bool x_moves, std::int64_t step_x, const float* y, bool y_moves, std::int64_t step_y,
                  std::int64_t steps, double* total, std::int64_t lanes) {
  if (lanes == 1 || (!x_moves && !y_moves)) {
    for (std::int64_t c = 0; c < steps; ++c) {
      const double product = static_cast<double>(x[c * step_x]) * static_cast<double>(y[c * step_y]);
      for (std::int64_t i = 0; i < lanes; ++i) total[i] += product;
    }
    return;
  }
  if (!x_moves) {
    std::swap(x, y);
    std::swap(x_moves, y_moves);
    std::swap(step_x, step_y);
  }
  for (std::int64_t c = 0; c < steps; ++c) {
    const float* xs = x + c * step_x;
    const float* ys = y + c * step_y;
    if (y_moves) {
      for (std::int64_t i = 0; i < lanes; ++i) total[i] += static_cast<double>(xs[i]) * static_cast<double>(ys[i]);
    } else {
      const double weight = *ys;
      for (std::int64_t i = 0; i < lanes; ++i) total[i] += static_cast<double>(xs[i]) * weight;
    }
  }
}

}  // namespace vouch
