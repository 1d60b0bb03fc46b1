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

// How the right of two operands meets the left one: its last axes meet the last ones, either is broadcast; or its axes are those
// of the left one from attribute `axis` on, as ONNX had it before opset 7, and only it is broadcast.
enum class Alignment : std::uint8_t { Last, FromAxis };

class PairedOperands {
 public:
  // Fails the call where the operands do not fit.
  PairedOperands(OpContext& context, Alignment alignment);

  const std::vector<Term>& extents() const { return extents_; }  // of the result
  Term left(const std::vector<Term>& indices) const;
  Term right(const std::vector<Term>& indices) const;

 private:
  const OpContext& context_;
  std::vector<Term> extents_;
  std::size_t first_ = 0;  // axes of the result, of which the right operand speaks
  std::size_t end_ = 0;
  std::vector<Term> right_extents_;  // theirs
};

// An operator of two operands, the right one along the axes of the left one from attribute `axis` on.
OpDef from_axis(std::string_view name, void (*define)(OpContext&));

// z[i] = combine(a[i], b[i]).
template <class Combine>
void give_pairs(OpContext& context, Alignment alignment, DType dtype, Combine combine) {
  PairedOperands pairs(context, alignment);
  if (!context.failed()) {
    context.result(dtype, pairs.extents(), [&](const std::vector<Term>& i) { return combine(pairs.left(i), pairs.right(i)); });
  }
}

// A vector that has one element for all positions, or one for each of `count`; the message says so where it has neither.
void require_one_or_each(OpContext& context, std::size_t operand, Term count, std::string_view message);
// The element of such a vector for a position.
Term read_one_or_each(const OpContext& context, std::size_t operand, Term count, Term position);

}  // namespace vouch
