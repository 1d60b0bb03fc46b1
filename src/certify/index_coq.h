// Kernels in index notation as Coq terms, as coq/index/Kernel.v declares them.
#pragma once

#include <string>

#include "certify/index_plan.h"

namespace vouch {

std::string coq_index_term(const IndexTerm& term);
// The record `ikernel`.
std::string coq_index_kernel(const IndexKernel& kernel);
// Theorems `lowered` and `computes_index_kernel` of a `kernel` and an `index_kernel` that are defined before.
std::string coq_lowering(const std::optional<IndexTiling>& tiling);

}  // namespace vouch
