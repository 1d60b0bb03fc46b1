// When a step of a reduction may write its accumulator in place. Mirrors coq/lower/Align.v, which proves it right.
#pragma once

#include "array/ast.h"

namespace vouch::array {

// Each cell of the new accumulator is written from that same cell of the old one; in `step` the element is data
// variable 0, the accumulator 1.
bool may_reduce_in_place(const Exp& step);

}  // namespace vouch::array
