// Copies that make long sums plain: zeros around an input instead of conditions, and neighbours side by side where a kernel walks
// in steps.
#pragma once

#include <optional>

#include "certify/index_kernel.h"

namespace vouch {

// A kernel that reads a copy of one of its inputs, under the same number.
struct Staged {
  std::size_t input = 0;
  IndexKernel copy;  // has that input alone
  IndexKernel kernel;
};

// Nothing where it would not be plainer, or the copy would cost too much. The kernel is arranged (build/arrange.h).
std::optional<Staged> staged(const IndexKernel& kernel);

// Of a sum over windows: zeros around the input, instead of conditions, by which a plan would have tiles of their own at each
// border. `copied_anyway`: in another arrangement, if not so.
std::optional<Staged> bordered(const IndexKernel& kernel, bool copied_anyway);

}  // namespace vouch
