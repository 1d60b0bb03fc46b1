// What an operator means, taken apart into kernels of one statement each.
#pragma once

#include "kernel/kernel.h"
#include "notation/tk_kernel.h"

namespace vouch {

// A statement of the kernel: what it reads are its inputs, its target is its output.
Kernel alone(const Kernel& kernel, const Statement& statement);
// One for each statement, in order.
std::vector<Kernel> apart(const Kernel& kernel);

// A kernel of one statement, with the tensors that it reads.
struct StatementKernel {
  TkKernel kernel;  // one output
  Symbol target;
  std::vector<Symbol> reads;
  std::vector<bool> widened;  // for each read: it is held as float16 or bfloat16, and taken as the float32 that it is
};
// One for each statement, in order. What lies between statements is of the type that is computed in. A sum that is stored as
// another type is finished first.
std::vector<StatementKernel> statement_kernels(const TkKernel& kernel);

}  // namespace vouch
