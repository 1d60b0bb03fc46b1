// What a number that is computed from sizes may be, and whether elements of a type hold it.
#pragma once

#include "tensor/dtype.h"
#include "term/term.h"

namespace vouch {

// Is the number the same after it was stored as an element of the type, whatever the sizes in it are? A size is taken to be below
// 2^30, and numbers of int64 not to overflow: an axis is counted in int32 on the way through a model, a tensor's elements are
// not.
bool holds_whatever_sizes(DType dtype, Term number);

}  // namespace vouch
