// Index terms over indices whose ranges are known: the same terms, simpler. All sizes are numbers.
#pragma once

#include <utility>
#include <vector>

#include "certify/index_axes.h"
#include "certify/index_standins.h"

namespace vouch {

// How many positions each index variable has, number 0 first.
using IndexExtents = std::vector<Integer>;

// A sum of multiples of different terms, each a variable, a quotient or a remainder; and a constant.
struct AffineTerm {
  struct Part {
    IndexTerm term;
    Integer factor;  // not 0
  };
  std::vector<Part> parts;
  Integer constant;
};

AffineTerm affine_of(const IndexTerm& term, const IndexExtents& extents);
IndexTerm term_of(const AffineTerm& affine);
// All values are in it; its end is not.
IndexRange range_of(const AffineTerm& affine, const IndexExtents& extents);
// `by` times the first, and a rest that has no multiple of it; `by` is positive.
std::pair<AffineTerm, AffineTerm> parted(const AffineTerm& affine, const Integer& by);

bool uses(const IndexBody& body, unsigned variable);
bool is_zero(const IndexBody& body);

// Made simpler: what always holds is True; choices that are decided are gone. The body's tensors are as they were.
IndexTerm simpler(const IndexTerm& term, const IndexExtents& extents);
IndexCond simpler(const IndexCond& condition, const IndexExtents& extents);
IndexBody simpler(IndexBody body, const IndexExtents& extents);
// Under which the subscripts are inside of the tensor, without what holds anyway.
IndexCond inside(const IndexBody& read, const IndexExtents& extents);

}  // namespace vouch
