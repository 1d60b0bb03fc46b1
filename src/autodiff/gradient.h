// Reverse mode: from a kernel to the kernel of its gradients.
//
// The result reads those of the kernel's inputs that it needs and `dX` for every output X, and gives `dY` for each target
// Y: the gradient of sum over X of sum(dX * X). A gradient is a kernel, so it can be differentiated again. Reads and
// writes are in gather form: every statement defines each element once.
#pragma once

#include "autodiff/chain.h"
#include "autodiff/index_change.h"
#include "support/diagnostic.h"

namespace vouch {

// One occurrence of a tensor: from the iterations that read it to its elements.
struct OccurrenceChange {
  Term read;
  IndexChange change;
  std::vector<Symbol> z;
  std::vector<Term> shape;
  SizeFacts sizes;
  std::optional<ChangedIndices> changed;  // nothing: no iteration reads it
};

// Targets are inputs, as written, each once. Errors: a function without derivative, a target that is no input, an integer kernel.
// `changes` is told every change of indices that was made.
std::optional<TkKernel> gradient(const TkKernel& kernel, const std::vector<Symbol>& targets, Diagnostics& diagnostics,
                                 std::vector<OccurrenceChange>* changes = nullptr, Ties ties = Ties::First);

// Forward mode: the tangents `tX` of the outputs from the tangents `tY` of `targets`.
std::optional<TkKernel> tangent(const TkKernel& kernel, const std::vector<Symbol>& targets, Diagnostics& diagnostics,
                                Ties ties = Ties::First);

}  // namespace vouch
