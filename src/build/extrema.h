// Maxima, minima and products over few elements, written out: so that a pooling window needs no tensor of its own.
#pragma once

#include "kernel/kernel.h"

namespace vouch {

// Over how many elements at most.
inline constexpr std::int64_t kMostWrittenOut = 32;

// The lowest (largest) number of the type, or 1.
Term neutral_element(Reduction reduction, DType dtype);

// Each such reduction becomes a balanced tree of its elements, in order; where its guard does not hold, an element is the lowest
// (largest) number of the output's type, or 1: as index notation has it (notation/tk_from_kernel.h).
void write_out_extrema(Kernel& kernel);

}  // namespace vouch
