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
  std::size_t statement = 0;              // of the kernel that reads it
  std::size_t summand = 0;                // of that statement
  std::optional<TkLoop> position;         // inside its loops, where the index is data
  bool by_ties = false;                   // as `OccurrenceTerm` says
  bool divides_numbers = false;
};

// A statement of the gradient that defines the adjoint of a tensor: the cotangent first where the tensor is an output, then a
// summand for each of `changes` that some iteration reads.
struct AdjointStatement {
  Symbol of;
  Symbol adjoint;
  std::vector<std::size_t> changes;  // places among all
};

// How a gradient came about.
struct GradientRecord {
  std::vector<OccurrenceChange> changes;
  std::vector<AdjointStatement> adjoints;
  std::unordered_map<Symbol, Symbol> cotangents;  // of the kernel's outputs
};

// Targets are inputs, as written, each once. Errors: a function without derivative, a target that is no input, an integer kernel.
std::optional<TkKernel> gradient(const TkKernel& kernel, const std::vector<Symbol>& targets, Diagnostics& diagnostics,
                                 GradientRecord* record = nullptr, Ties ties = Ties::First);

// Forward mode: the tangents `tX` of the outputs from the tangents `tY` of `targets`.
std::optional<TkKernel> tangent(const TkKernel& kernel, const std::vector<Symbol>& targets, Diagnostics& diagnostics,
                                Ties ties = Ties::First);

}  // namespace vouch
