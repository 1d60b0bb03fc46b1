// Scalar terms that definitions share.
#pragma once

#include "graph/op_def.h"
#include "tensor/dtype.h"
#include "term/term.h"

namespace vouch {

Term real(std::int64_t value);
Term real_of_double(double value);              // must be finite
bool is_real(Term scalar, std::int64_t value);  // is this constant

// Truth values of bool tensors: 1 or 0 for a guard, and whether an element counts as true.
Term truth(Term guard);
Term is_set(Term scalar);

// The value of an attribute or a default: finite or infinite; nothing for NaN and -0.
std::optional<Term> scalar_of_double(double value);

Term half();
// What is added up for a p-norm, p at least 1, and the norm of the sum.
Term powered(Term scalar, std::int64_t p);
Term norm_of(Term sum, std::int64_t p);
Term square(Term scalar);
// a / b of the element type: integers divide towards zero.
Term quotient(DType dtype, Term a, Term b);
// An integer index as data of a tensor; of `n` elements, where a negative one counts from the end.
Term data_index(Term element, Term n);

// The nearest number of a type of integers of at most 16 bits: half to even, and what lies beyond becomes the least or the
// greatest.
Term quantised(DType dtype, Term scalar, Term zero_point);
// The number, or of what lies beyond those of a type of integers or of floats of 8 bits the least or the greatest.
Term saturated(DType dtype, Term scalar);

// An attribute that is a float; a missing one means `otherwise`.
AttrDef float_attribute(std::string_view name, float otherwise);

// What intermediate values of computations on `dtype` are kept in: half floats widen to float32.
DType wide_dtype(DType dtype);

// i moved into [low, high].
Term clamp_index(Term i, Term low, Term high);

}  // namespace vouch
