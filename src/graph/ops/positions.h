// Row-major positions: how reshapes move elements.
#pragma once

#include "graph/ops/operands.h"

namespace vouch {

// Where in a tensor of extents `from` the element lies that has `indices` in extents `to`, both row-major with the
// same number of elements. Axes that agree from the left or the right, and groups of axes whose known products agree,
// are mapped by themselves, so that as few `//` and `%` appear as can be.
Terms reshaped_indices(const Terms& from, const Terms& to, const Terms& indices);

// ((i0 * e1 + i1) * e2 + i2) …
Term flat_index(const Terms& extents, const Terms& indices);
Terms unflat_indices(const Terms& extents, Term flat);

// The item of a list of integer terms at a position that is a term.
Term chosen(const Terms& items, Term position);

}  // namespace vouch
