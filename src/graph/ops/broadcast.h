// Numpy broadcasting over sizes that may be symbolic.
#pragma once

#include <initializer_list>
#include <vector>

#include "graph/op_def.h"

namespace vouch {

// The broadcast extents of several shapes. Two sizes that are not known to be equal or 1 become a condition of the
// call (`a == b or a == 1 or b == 1`), and the extent their maximum where both are at least 1.
std::vector<Term> broadcast_extents(OpContext& context, const std::vector<std::vector<Term>>& shapes);

// The operand broadcasts to a shape that stays as it is (unidirectional broadcasting).
void require_broadcasts_to(OpContext& context, std::size_t operand, const std::vector<Term>& to);

// Where in a tensor of extents `from` the element for `indices` (of the broadcast shape) lies: an axis of size 1 is
// read at 0; one of unknown size at min(i, extent - 1), which is i or 0 under the condition above.
std::vector<Term> broadcast_indices(const std::vector<Term>& from, const std::vector<Term>& to, const std::vector<Term>& indices);

// The element of an operand under broadcasting to `to`.
Term read_broadcast(const OpContext& context, std::size_t operand, const std::vector<Term>& to, const std::vector<Term>& indices);

}  // namespace vouch
