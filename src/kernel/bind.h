// A kernel at given sizes: what every evaluator of kernels needs first.
#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "kernel/kernel.h"
#include "kernel/tensor.h"
#include "support/diagnostic.h"
#include "term/substitute.h"

namespace vouch {

struct SizeBindings {
  std::unordered_map<Symbol, std::int64_t> integers;  // sizes and integer attributes
  std::unordered_map<Symbol, Rational> scalars;       // scalar attributes
};

struct BoundTarget {
  DType dtype = DType::Float32;
  Extents extents;
};

struct BoundKernel {
  Substitution sizes;                                // every size and attribute as a constant
  std::unordered_map<Symbol, BoundTarget> targets;   // locals and outputs

  // The statement's value at these sizes; its own indices stay.
  Term value_of(const Statement& statement) const;
};

// Takes sizes that are the whole extent of an input from `inputs`, and checks: the inputs' extents against their
// declarations; that each statement has a declared target and an index for each axis, that it reads only inputs and
// earlier targets, at their ranks; that targets have at most `limit` elements together. Errors name the kernel.
std::optional<BoundKernel> bind_kernel(const Kernel& kernel, std::span<const Extents> inputs, const SizeBindings& sizes,
                                       std::int64_t limit, Diagnostics& diagnostics);

}  // namespace vouch
