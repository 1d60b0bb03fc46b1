// What the planners of products share: sums whose terms read along the lanes and along the rows apart, as matrix products and
// convolutions do.
#pragma once

#include "certify/index_axes.h"
#include "certify/index_plan.h"

namespace vouch {

inline constexpr long kCopyPays = 16;  // products for each element that is copied

// Of an input that is read so, with that many products; tensors before the inputs are locals.
inline bool copy_pays(const IndexBody& read, std::size_t locals, const CopyChoice& copies, const Integer& work) {
  return copies.ahead.contains(read.tensor - static_cast<unsigned>(locals)) || extent_product(read.extents) * kCopyPays <= work;
}

// What is known of the kernel that a product is looked for in.
struct ProductKernel {
  const IndexKernel& kernel;
  Integer work;                                 // how many products
  std::optional<std::size_t> merged_axis = {};  // of the output: what is read along it is declared with two axes
};

// A copy of what is read: blocks of lanes, then the other axes, then the lanes of a block.
IndexCopy in_lanes(const IndexBody& read, unsigned moving, std::size_t locals, long width);

// How a product uses the axes.
struct Product {
  std::size_t lanes = 0;
  std::size_t rows = 0;
  std::vector<std::size_t> outside;  // what is read along the lanes depends on them
  std::vector<std::size_t> inside;   // it does not
  const IndexBody* along_lanes = nullptr;
  std::vector<IndexCopy> copies;
  Integer terms;      // of the sum's outermost loop
  Integer per_term;   // terms of the loops inside of that one
  bool alone = true;  // there are no other summands, and so the sum may be cut
};

}  // namespace vouch
