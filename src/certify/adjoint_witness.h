// What the check of a gradient is told besides both kernels: coq/adjoint/Adjoint.v's record `witness`, constructor by
// constructor. Nothing here has to be trusted: a wrong witness has no proof.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "autodiff/gradient.h"
#include "certify/index_kernel.h"

namespace vouch {

// Between the iterations of an occurrence and the points of the gradient's summand: each variable of the one side, the
// innermost first, over the variables of the other.
struct AdjointChange {
  std::vector<IndexTerm> to;    // the gradient's variables
  std::vector<IndexTerm> from;  // the iteration's
};
// One for each place where a tensor is read; nothing where no iteration reads it.
using AdjointChanges = std::vector<std::optional<AdjointChange>>;

// What a tensor of the gradient is. Tensors of the forward kernel are numbered as its last statement has them.
struct CopyOf {
  unsigned forward;
};
struct CotangentOfOutput {};
struct CotangentOf {
  unsigned forward;
};
struct AdjointOf {
  unsigned forward;
  AdjointChanges changes;
};
using TensorOrigin = std::variant<CopyOf, CotangentOfOutput, CotangentOf, AdjointOf>;

struct AdjointCertificate {
  IndexKernel forward;                // of all outputs; it assumes of sizes what the gradient's kernel does, and more
  IndexKernel gradient;               // by one target
  unsigned target = 0;                // an input of the forward kernel
  std::vector<unsigned> outputs;      // its locals that are outputs
  std::vector<TensorOrigin> origins;  // of the gradient's tensors
  AdjointChanges changes;             // of the places where the target is read
};

struct AdjointAnswer {
  std::optional<AdjointCertificate> certificate;
  std::string refusal;  // why there is none
};

// Of the output `of` of `gradient`, which was made from `kernel` as `record` says.
AdjointAnswer adjoint_certificate(const TkKernel& kernel, const TkKernel& gradient, const GradientRecord& record, Symbol of);

// A file with both kernels and the witness as data, the check and what follows; `origin` is named in a comment.
std::string adjoint_text(const AdjointCertificate& certificate, const std::string& origin);
// What the file calls the kernel that is differentiated.
inline constexpr const char* kForwardKernel = "forward_kernel";

}  // namespace vouch
