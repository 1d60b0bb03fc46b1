// The axes of a kernel's inputs, and how they may be taken apart or together without moving a cell.
#pragma once

#include <functional>
#include <optional>

#include "build/index_affine.h"
#include "certify/index_kernel.h"

namespace vouch {

// Extents of the summand's index variables, number 0 first.
IndexExtents extents_of(const IndexStatement& statement, const IndexSummand& summand);

// The summand that has loops, if it is the only one, has no condition, and so many terms at least are added in all; the kernel
// has numbers for sizes and no locals.
const IndexSummand* long_sum(const IndexKernel& kernel, const Integer& least);

// All of a kernel's reads; the kernel outlives it, and its subscripts are simple (build/index_affine.h).
class TensorShapes {
 public:
  explicit TensorShapes(IndexKernel& kernel) : kernel_(kernel) {}

  // Axes of one position are gone, if they are always read there; one is left.
  void drop_units();
  // An axis that is always read at k * a + b with b below k is two, if b is an index that has k positions.
  void split();
  // Axes of the tensors that two neighbouring indices walk together become one: in each summand, the inner index is the variable
  // that `inner` gives (none: that summand has none of the two), the outer one is the next variable. False, and nothing is
  // changed, if some read has one of them elsewhere. The subscripts of the joined axes hold both variables as they are.
  bool join(const std::function<std::optional<unsigned>(const IndexSummand&)>& inner, const Integer& extent);

 private:
  IndexKernel& kernel_;
};

}  // namespace vouch
