// Numpy broadcasting over sizes that may be symbolic.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "graph/op_def.h"

namespace vouch {

// The broadcast extents of several shapes. Two sizes that are not known to be equal or 1 become a condition of the
// call (`a == b or a == 1 or b == 1`), and the extent their maximum where both are at least 1.
std::vector<Term> broadcast_extents(OpContext& context, const std::vector<std::vector<Term>>& shapes);

// At least 1, since the sizes are that it is computed from.
bool is_at_least_one(OpContext& context, Term extent);

// The operand broadcasts to a shape that stays as it is (unidirectional broadcasting).
void require_broadcasts_to(OpContext& context, std::size_t operand, const std::vector<Term>& to);

// Where in a tensor of extents `from` the element for `indices` (of the broadcast shape) lies: an axis of size 1 is
// read at 0; one of unknown size at min(i, extent - 1), which is i or 0 under the condition above.
std::vector<Term> broadcast_indices(const std::vector<Term>& from, const std::vector<Term>& to, const std::vector<Term>& indices);

// The element of an operand under broadcasting to `to`.
Term read_broadcast(const OpContext& context, std::size_t operand, const std::vector<Term>& to, const std::vector<Term>& indices);

// A vector that has one element for all positions, or one for each of `count`; the message says so where it has neither.
void require_one_or_each(OpContext& context, std::size_t operand, Term count, std::string_view message);
// The element of such a vector for a position.
Term read_one_or_each(const OpContext& context, std::size_t operand, Term count, Term position);

}  // namespace vouch
