// Sums that read copies, made in the middle of a plan. Mirrors coq/index/Tabulate.v, definition by definition; why that is right
// is proven there.
#pragma once

#include <string>

#include "certify/index_standins.h"

namespace vouch {

struct Tabulated {
  std::vector<IndexSummand> summands;  // the copy is tensor 0; all data variables around are tensors
  std::vector<array::Size> extents;    // of the copy
  IndexBody copied;                    // an element of it, under its positions and what is outside
};

// The first read of that tensor in the summands is copied over the variables `over`: loops, from the innermost outwards, then the
// axes that are left, from the last one on. Around are `outer` index variables and `depth` data variables beyond the tensors.
Tabulated tabulated(unsigned tensor, const std::vector<unsigned>& over, std::vector<IndexSummand> summands,
                    const std::vector<array::Size>& axes, std::size_t outer, unsigned depth);

// What keeps that copy from being made, or nothing.
std::string why_not_tabulated(unsigned tensor, const std::vector<unsigned>& over, const std::vector<IndexSummand>& summands,
                              const std::vector<array::Size>& axes);

}  // namespace vouch
