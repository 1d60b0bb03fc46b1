// Axes that an index alone subscripts, and what they say of its range.
#pragma once

#include "notation/tk_domain.h"

namespace vouch {

struct PlainAxis {
  const TkAccess* access = nullptr;
  std::size_t axis = 0;
  Term extent() const { return access->shape[axis]; }
};

// Of reads that no condition guards. What accumulates reads its target over the target's own indices, which says nothing.
std::vector<PlainAxis> plain_axes(const TkAccess& target, const std::vector<TkAccess>& reads, Symbol name);

// Axes that an index alone subscripts have one extent, those on the left too; a given domain says which part is meant. Where
// `left_may_be_part`, a smaller extent on the left says it, with a warning.
bool extents_agree(const TkAccess& target, const std::vector<TkAccess>& reads, const std::vector<Symbol>& names, const Box& given,
                   bool left_may_be_part, const SourceRef& source, Diagnostics& diagnostics);

}  // namespace vouch
