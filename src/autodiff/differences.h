// An independent judge of derivatives: the five-point difference (f(x-2h) - 8f(x-h) + 8f(x+h) - f(x+2h)) / 12h in exact
// rationals, for every element. It is the derivative itself where the kernel is a polynomial of degree at most 4 in what
// is changed; elsewhere the two must agree within a bound. Knows nothing of the chain rule or the change of indices: kernels are
// evaluated point by point, and what a changed element reaches is evaluated again.
#pragma once

#include <string>
#include <vector>

#include "notation/tk_kernel.h"

namespace vouch {

struct DifferenceReport {
  std::size_t elements = 0;
  std::size_t equal = 0;   // exactly
  std::size_t nearly = 0;  // within 2^-28 of max(1, |value|), where no more can be expected
  std::string different;   // the first element that differs, with both values
  std::string refusal;     // why the comparison was not made
};

struct DifferenceOptions {
  std::uint32_t seed = 1;                // of the elements of inputs
  std::int64_t most_points = 1'000'000;  // iterations of either kernel
};

// `derivative` is what `gradient` (or, if `forward`, `tangent`) gave for these targets.
DifferenceReport compare_with_differences(const TkKernel& kernel, const TkKernel& derivative, const std::vector<Symbol>& targets,
                                          bool forward, const DifferenceOptions& options = {});

}  // namespace vouch
