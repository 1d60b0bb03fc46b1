// How far outputs are from a reference.
#pragma once

#include "tensor/tensor.h"

namespace vouch {

struct Difference {
  double largest = 0;    // max |a - b|; infinite where one is NaN and the other is not
  double magnitude = 0;  // max |b|, of finite elements
  // largest / magnitude; 0 where both are 0.
  double relative() const;
};

// Both of one shape; any element type.
Difference compare_tensors(const Tensor& a, const Tensor& reference);

}  // namespace vouch
