// Plans of axes whose extents are numbers or have names: full blocks, and what they leave.
#pragma once

#include "certify/index_plan.h"

namespace vouch {

// A part of an extent that is a number or has a name.
array::Size part_of(array::SizePart part, const array::Size& n, const Integer& by, const Integer& base = 1);
array::Size times_of(const Integer& by, const array::Size& n);

// The axis after `inner` others comes first.
IndexPlan moved_first(unsigned inner, IndexPlan rest);
// The first axis, position by position.
IndexPlan each(const array::Size& extent, array::LoopKind loop, IndexPlan rest);
// The first axis in full blocks, block by block.
IndexPlan in_blocks(const array::Size& count, const Integer& width, array::LoopKind loop, IndexPlan rest);
// The first axis in two parts, of which numbers may leave one empty.
IndexPlan in_parts(const array::Size& first, const IndexPlan& most, const array::Size& second, const IndexPlan& rest);

}  // namespace vouch
