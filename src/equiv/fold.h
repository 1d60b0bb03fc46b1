// Folded parameters: two regions are the same affine function of what they read, if parameters that one of them computed ahead of
// time are what the other computes, within a bound.
//
// Parameters are compared as the numbers they are: exact rationals, with guaranteed enclosures of roots and the like. The bound
// is the largest |a - b| of any coefficient, relative to the sum of the magnitudes of the products that make it up (so that a
// bias that nearly cancels is measured against what it was computed from).
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "check/prove.h"
#include "equiv/fold_tolerance.h"
#include "tensor/tensor.h"

namespace vouch {

struct FoldProof {
  bool holds = false;
  double bound = 0;                     // rounded up; 0: equal as real numbers
  std::string reason;                   // why not
  std::vector<QueryText> scripts = {};  // if asked for
};

struct FoldOptions {
  FoldTolerance tolerance;
  std::int64_t steps = 2'000'000;  // of the evaluation of coefficients, in one claim
};

// `values`: of the instance's inputs that are parameters.
FoldProof prove_fold(const Instance& instance, const std::map<Symbol, Tensor>& values, const FoldOptions& how,
                     const ProveOptions& options);

}  // namespace vouch
