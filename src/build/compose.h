// One kernel's element in place of where another reads it.
#pragma once

#include <optional>

#include "certify/index_kernel.h"

namespace vouch {

// The kernel `outer` with the elements of `inner` in place of those of its input number `input`; what `inner` reads is appended
// to its inputs. Elements outside of that input are zero, as they were. Both have numbers for sizes and no locals. Nothing where
// `inner` has sums, or other extents than the input.
std::optional<IndexKernel> composed(const IndexKernel& outer, std::size_t input, const IndexKernel& inner);

}  // namespace vouch
