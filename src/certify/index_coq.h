// Kernels in index notation as Coq terms, as coq/index/Kernel.v declares them.
#pragma once

#include <string>

#include "certify/index_kernel.h"

namespace vouch {

std::string coq_index_term(const IndexTerm& term);
// The record `ikernel`.
std::string coq_index_kernel(const IndexKernel& kernel);

}  // namespace vouch
