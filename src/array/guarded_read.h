// Reads that conditions around them keep inside of an array: `if i + 1 < n then xs[i + 1] else 0`. Typing takes a position by the
// loops around it alone, so such a read is built as one of the array with zeros around it, at the same element: the conditions
// say that no zero is read.
#pragma once

#include <vector>

#include "array/builder.h"

namespace vouch::array {

// A condition whose branch is being read: the first branch (`holds`) or the other. Its index variables are numbered as where
// `indices` of them are bound.
struct Assumption {
  Guard guard;
  bool holds;
  std::size_t indices;
};

// `array[index]`, if the assumptions imply, by sums of at most two of them and of what is known of sizes, that the index is
// in its range; otherwise nothing, and nothing is reported.
Built guarded_read(Builder& builder, const Built& array, const Index& index, const std::vector<Assumption>& assumed);

}  // namespace vouch::array
