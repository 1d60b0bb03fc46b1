// Kernels in index notation as Coq terms, as coq/index/Kernel.v declares them.
#pragma once

#include <string>

#include "certify/index_plan.h"

namespace vouch {

std::string coq_index_term(const IndexTerm& term);
// The record `ikernel`.
std::string coq_index_kernel(const IndexKernel& kernel);
// Theorems `lowered` and `computes_NAME` of a `kernel` and of a kernel in index notation NAME that are defined before.
std::string coq_lowering(const std::optional<IndexTiling>& tiling, const std::string& name);
// The same of a `kernel` whose products are fused, and an `index_kernel`.
std::string coq_fused_lowering(const IndexKernel& kernel, const std::optional<IndexTiling>& tiling);
// The theorem `reordered`: the `ordered_kernel` that is computed by these splits has the terms of `index_kernel`.
std::string coq_regrouping(const IndexRegrouping& regrouping);

}  // namespace vouch
