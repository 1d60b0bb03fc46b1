// Plans of axes whose extents are numbers or have names: full blocks, and what they leave.
#pragma once

#include "certify/index_plan.h"

namespace vouch {

// A part of an extent that is a number or has a name.
array::Size part_of(array::SizePart part, const array::Size& n, const Integer& by, const Integer& base = 1);
array::Size times_of(const Integer& by, const array::Size& n);

inline bool is_number(const array::Size& n) { return n->kind == array::SizeKind::Const; }
// As far as numbers say: sizes that have names may be any.
inline bool at_least(const array::Size& n, const Integer& least) { return !is_number(n) || n->value >= least; }

// The axis after `inner` others comes first.
IndexPlan moved_first(unsigned inner, IndexPlan rest);
// The first axis, position by position.
IndexPlan each(const array::Size& extent, array::LoopKind loop, IndexPlan rest);
// The first axes position by position, then the rest; the first that is long enough as `kind` says.
IndexPlan each_of(const std::vector<array::Size>& extents, IndexPlan rest, array::LoopKind kind);
// The first axis in full blocks, block by block.
IndexPlan in_blocks(const array::Size& count, const Integer& width, array::LoopKind loop, IndexPlan rest);
// The first axis in two parts, of which numbers may leave one empty.
IndexPlan in_parts(const array::Size& first, const IndexPlan& most, const array::Size& second, const IndexPlan& rest);

}  // namespace vouch
