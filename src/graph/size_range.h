// What a number that is computed from sizes may be, and whether elements of a type hold it.
#pragma once

#include <functional>

#include "tensor/dtype.h"
#include "tensor/element.h"
#include "term/term.h"

namespace vouch {

// Sizes, where a model counts an axis on the way: below 2^30.
NumberRange counted_sizes();

// Is the number the same after it was stored as an element of the type, whatever its variables are within these ranges?
bool holds_whatever(DType dtype, Term number, const std::function<NumberRange(Symbol)>& variables);

// The same of numbers whose variables are sizes, and numbers of int64 are taken not to overflow: an axis is counted in int32 on
// the way through a model, a tensor's elements are not.
bool holds_whatever_sizes(DType dtype, Term number);

}  // namespace vouch
