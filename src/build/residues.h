// Sums of which only every n-th term is there, another n-th at each position: a transposed convolution of stride n. The positions
// of one residue are a plain sum of their own.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "certify/index_kernel.h"

namespace vouch {

// One residue of each axis that is taken apart. Kernels of residues that do the same are the same.
struct Residue {
  IndexKernel kernel;  // inputs as they were, but `weights` a slice
  IndexKernel slice;   // of that input alone; terms that are not there are not in it
};

struct Residues {
  std::size_t weights = 0;     // number of the input that each residue reads a slice of; none if no term is left
  std::vector<Residue> parts;  // the last axis's residues next to each other
  IndexKernel together;        // reads what the parts leave, in order; where an axis is a multiple of n, it is two
};

// The same bits. Nothing where it would not pay, or terms that are left out are not surely zero: `finite(k)` says that no element
// of input number k is infinite or NaN. The kernel is arranged (build/arrange.h).
std::optional<Residues> in_residues(const IndexKernel& kernel, const std::function<bool(unsigned)>& finite);

}  // namespace vouch
