// Kernels evaluated exactly, for small tensors: rationals, and guaranteed enclosures where a function is transcendental.
//
// Float tensors hold real numbers, which nothing rounds. Integers are unbounded within a term; where an element of an
// integer type is stored, its value is truncated towards zero and wraps modulo the type's width, as in `eval_kernel`;
// a stored bool is `value != 0`.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "kernel/bind.h"
#include "term/eval.h"

namespace vouch {

struct ExactTensor {
  DType dtype = DType::Float32;
  Extents extents;
  std::vector<Enclosure> values;  // row-major
};

// The exact value of each element; NaN has none, so then nothing.
std::optional<ExactTensor> exact_of(const Tensor& tensor);
// To the nearest element (the middle of an enclosure).
Tensor rounded(const ExactTensor& tensor);

struct ExactLimits {
  std::int64_t elements = 1'000'000;  // of all locals and outputs together
  std::int64_t steps = 100'000'000;   // of evaluation, for each statement
  int bits = 96;                      // of enclosures
};

// One tensor for each output. A failure names the kernel and the element; `Undecided` may be gone with more bits.
Evaluated<std::vector<ExactTensor>> eval_exact(const Kernel& kernel, std::span<const ExactTensor> inputs,
                                               const SizeBindings& sizes, const ExactLimits& limits = {});

}  // namespace vouch
