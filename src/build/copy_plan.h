// Loops of kernels that only copy: in pieces where what is asked of an index is always so, or never.
#pragma once

#include <optional>

#include "certify/index_plan.h"

namespace vouch {

// Nothing where nothing is asked, or too many pieces would be needed. The kernel has numbers for sizes and neither sums nor
// locals.
std::optional<IndexTiling> copy_plan(const IndexKernel& kernel);

}  // namespace vouch
