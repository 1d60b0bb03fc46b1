// Whether the integers of a kernel's C text fit into 64 bits.
#pragma once

#include <optional>

#include "notation/tk_kernel.h"

namespace vouch {

// An integer term of the kernel, which has no named sizes, that may leave the 64 bits in which C computes it, in any order of
// its sums; nothing if none does.
std::optional<Term> beyond_int64(const TkKernel& kernel);

}  // namespace vouch
