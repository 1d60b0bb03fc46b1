// The reference interpreter: kernels on concrete tensors, in floats, by compiled loop programs (loop_program.h).
//
// Float elements are computed in double and rounded to the element type at each stored element of an output; locals of float
// kernels keep double. Integers wrap at each stored element. Results do not depend on how many threads run.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "kernel/kernel.h"
#include "support/diagnostic.h"
#include "tensor/memory_budget.h"
#include "tensor/tensor.h"

namespace vouch {

class KernelPrograms;
using SizeBindings = std::unordered_map<Symbol, std::int64_t>;

struct EvalOptions {
  std::int64_t most_elements = std::int64_t{1} << 31;           // of one tensor
  bool blocked = true;                                          // reductions by blocked_reduction.h where they can be
  double most_terms = std::numeric_limits<double>::infinity();  // of the sums of one statement, over all its elements
  const MemoryBudget* memory = nullptr;                         // that what is computed has to fit; null: any
  KernelPrograms* programs = nullptr;                           // of this kernel, from runs before; null: none are kept
};

// The outputs in order. Inputs are given in order, with the declared types; sizes that the kernel names must be bound.
// Errors name the kernel: an index out of range, an integer division by zero, a tensor that is too large, too much
// beside what is held, sums of too many terms.
std::optional<std::vector<Tensor>> eval_kernel(const Kernel& kernel, std::span<const Tensor> inputs, const SizeBindings& sizes,
                                               Diagnostics& diagnostics, const EvalOptions& options = {});

}  // namespace vouch
