// What is kept of a tensor's elements, so that many tensors can be compared.
#pragma once

#include "tensor/tensor.h"

namespace vouch {

// A number that a comparison can go on with: neither NaN nor infinite.
double plain(double x);

// Of one tensor in one round.
struct Fingerprint {
  Extents extents;
  double first = 0;  // two sums of its elements with fixed weights in [-1, 1] that depend on the position
  double second = 0;
  double norm = 0;      // the root of the sum of squares
  bool uniform = true;  // all elements are one: it tells nothing
};
// `tolerance`: of the norm.
bool alike(const Fingerprint& a, const Fingerprint& b, double tolerance);
Fingerprint print_of(const Tensor& tensor);

}  // namespace vouch
