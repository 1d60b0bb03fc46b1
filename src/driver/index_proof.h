// What the solver proves of kernels in index notation and of their derivatives.
#pragma once

#include <string>
#include <vector>

#include "autodiff/gradient.h"
#include "notation/tk_kernel.h"

namespace vouch {

// False, with an error at the first place from which on no sizes are left, if the conditions on sizes contradict each other.
bool prove_sizes(const TkKernel& kernel, Diagnostics& diagnostics);

// Every read stays inside its tensor wherever the conditions around it hold; else an error that names the read.
void prove_reads(const TkKernel& kernel, Diagnostics& diagnostics);

struct BijectionProof {
  std::size_t changes = 0;
  std::size_t proven = 0;
  std::vector<std::string> open;  // the occurrences that are not proven, and what of them
};

// For each occurrence of a target (and of what lies between it and the outputs): the iterations that read it, and the
// points of the gradient's loops within their guards, are mapped onto each other one to one.
BijectionProof prove_index_changes(const std::vector<OccurrenceChange>& changes);

// Do both kernels, with the same inputs and outputs, give the same values over the reals? Only `true` is proven.
bool prove_equal(const TkKernel& a, const TkKernel& b, std::string& remainder);

}  // namespace vouch
