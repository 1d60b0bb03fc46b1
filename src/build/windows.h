// Maxima and minima over windows, one axis after the other.
#pragma once

#include "kernel/kernel.h"

namespace vouch {

// A maximum (minimum) over a window of two axes or more becomes that of the rows, over all axes but the last, and of these the
// one along the last axis: neighbours are read side by side, and hardly more elements are compared. A row that is padding is the
// lowest (largest) number. The result is the same number; of zeros of both signs, another may be taken. Kernels of floats, where
// the last axis steps evenly and conditions only ask whether positions are inside; all others stay as they are.
void separate_windows(Kernel& kernel);

}  // namespace vouch
