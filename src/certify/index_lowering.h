// Index terms, conditions and bodies in the functional array language: what both lowerings of kernels in index notation
// share. Mirrors coq/index/Lower.v, definition by definition.
#pragma once

#include "array/typing.h"
#include "certify/index_kernel.h"

namespace vouch {

IndexTerm term_variable(unsigned number);
IndexTerm term_constant(const Integer& value);
IndexTerm term_sum(const IndexTerm& a, const IndexTerm& b);
IndexTerm term_scaled(const Integer& by, const IndexTerm& t);
bool is_variable(const IndexTerm& term, unsigned variable);
bool uses(const IndexTerm& term, unsigned variable);
bool uses(const IndexCond& c, unsigned variable);
// Which element is read depends on the variable.
bool moves(const IndexBody& read, unsigned variable);
IndexBody body_operation(array::Op op, std::vector<IndexBody> args);

// As coq/index/Lower.v: an index term is the difference of two natural numbers.
struct IndexDifference {
  array::Index plus;
  array::Index minus;
};

array::Index add_index(const array::Index& a, const array::Index& b);
array::Size plus_size(const array::Size& a, const array::Size& b);
array::Size times_size(const array::Size& a, const array::Size& b);

class Lowering {
 public:
  // What is assumed of the sizes, and the bounds of the index variables, number 0 first.
  explicit Lowering(array::IndexContext context) : context_(std::move(context)) {}

  IndexDifference term(const IndexTerm& t) const;
  array::Guard condition(const IndexCond& c) const;
  // Under `depth` data variables beyond the tensors.
  array::Exp body(const IndexBody& b, unsigned depth) const;

 private:
  // Surely below m.
  bool small(const array::Index& x, const Integer& m) const;
  std::optional<std::pair<array::Index, array::Index>> blocks_of(const array::Index& x, const Integer& m) const;
  array::Index quotient(const array::Index& x, const Integer& m) const;
  array::Index remainder(const array::Index& x, const Integer& m) const;
  array::Size upper(const array::Index& e) const;
  array::Exp gathered(const IndexBody& b, unsigned depth) const;
  array::Exp read_at(const IndexTerm& t, const array::Size& extent, const array::Exp& e) const;
  std::pair<array::Index, array::Size> raised(const IndexDifference& d, const Integer& m) const;

  array::IndexContext context_;
};

// An array of n zeros, for maps and reductions that look at positions only.
array::Exp zeros(const array::Size& n);
// Of an array whose extents are those from `from` on.
array::Type type_of(const std::vector<array::Size>& extents, std::size_t from);
// One summand of an element, under `depth` data variables.
array::Exp lowered_summand(const IndexSummand& s, const array::IndexContext& context, unsigned depth);
// The elements one by one, from `axis` on, in loops of which the first that has not one position only is of kind `kind`; under
// `depth` data variables.
array::Exp generate(array::LoopKind kind, const IndexStatement& s, std::size_t axis, array::IndexContext context, unsigned depth);

}  // namespace vouch
