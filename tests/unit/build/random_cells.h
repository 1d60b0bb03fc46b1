// Inputs of kernels: numbers that are exact in binary, seldom an infinity or a zero with a sign.
#pragma once

#include <cmath>
#include <random>

#include "array/eval.h"

namespace vouch {

inline array::Cells random_cells(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  array::Cells cells(count);
  for (float& x : cells) {
    auto draw = random() % 500;
    x = draw == 0 ? INFINITY : draw == 1 ? -0.0F : static_cast<float>(draw) / 64 - 3;
  }
  return cells;
}

}  // namespace vouch
