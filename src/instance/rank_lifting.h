// Rules of which ranks 0 and 1 say all.
//
// Let every operator of a rule work axis by axis (`OperandTypes::axiswise`): operands are broadcast together, and an element of
// the result is a scalar function of the elements at its place. Axes are counted from the end; a tensor that has no such axis is
// read at the same place along it. Then
//  - a call is legal if it is so along each axis alone, and the result's size along an axis follows from the sizes along it;
//  - along an axis, a tensor is read at the result's index if its size is the result's, and at 0 if it is 1: wherever in the rule
//    it is read, since no size between is 1 unless its own is. So a side is S(x[p(i)], y[q(i)], …) with one scalar function S and
//    one map for each tensor.
// Instances of rank 0 show that the scalar functions of both sides are equal; instances of ranks 0 and 1, in each combination,
// that the target is legal and has the source's size along an axis, whichever tensors have the axis. So a match of any rank is
// covered if for each of its axes the match that has only this axis is covered.
//
// The rule must say nothing of ranks, sizes and positions, and have no list of elements.
#pragma once

#include "rule/ast.h"

namespace vouch {

bool holds_axis_by_axis(const Rule& rule);

// Ranks to this are to be tried for the numbers that a rule has: 6 where it asks for sizes or ranks and says 5 or 6 (as in
// `x.rank == 5`), else 0.
std::uint32_t rank_spoken_of(const Rule& rule);

}  // namespace vouch
