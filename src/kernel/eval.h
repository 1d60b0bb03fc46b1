// The reference interpreter: every statement of a kernel becomes a loop program (loop_compile.h) that is run on blocks of
// consecutive elements.
//
// Numbers. A scalar term over integer and boolean tensors and integral constants is evaluated in 64-bit integers that
// wrap, and wraps again where it is stored; an empty maximum (minimum) of integers is the smallest (largest) of them.
// Everything else is evaluated in double with IEEE rules (NaN spreads through min and max, 1/0 is infinite) and rounded
// once, where it is stored in an output; locals of float types are kept in double. Sums are added up in double, in an
// order that depends on the kernel and its sizes alone, never on the number of threads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernel/bind.h"
#include "kernel/kernel.h"
#include "kernel/tensor.h"
#include "support/diagnostic.h"

namespace vouch {

struct EvalLimits {
  std::int64_t elements = std::int64_t{1} << 31;  // of all locals and outputs together
  int threads = 1;
};

// One tensor for each output, in order. `inputs` are in the order of the kernel's; a size that is the whole extent of an
// input needs no binding. Errors (all name the kernel): inputs that do not fit their declarations, sizes without a
// value, reads out of range, integer division by zero, an index from data that is no integer, too many elements.
std::optional<std::vector<Tensor>> eval_kernel(const Kernel& kernel, std::span<const Tensor> inputs,
                                               const SizeBindings& sizes, Diagnostics& diagnostics,
                                               const EvalLimits& limits = {});

}  // namespace vouch
