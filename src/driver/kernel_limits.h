// What one kernel in index notation may hold: certificates grow by a power of its indices, gradients by the square of its
// factors.
#pragma once

#include <string>

#include "notation/tk_kernel.h"
#include "support/diagnostic.h"

namespace vouch {

inline constexpr std::size_t kMostIndices = 20;        // of one statement
inline constexpr std::size_t kMostOperators = 20'000;  // of one kernel, with what indices are made of

// Reports at `place` what is too much.
bool within_limits(const TkKernel& kernel, const std::string& place, Diagnostics& diagnostics);

}  // namespace vouch
