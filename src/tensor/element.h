// Numbers as elements of a type.
#pragma once

#include <optional>

#include "support/number.h"
#include "tensor/dtype.h"

namespace vouch {

class Tensor;

struct NumberRange {
  Rational low;
  Rational high;

  bool holds(const Rational& number) const { return low <= number && number <= high; }
};

// The numbers of a type of integers or of floats (the finite ones), or of truth values: 0 and 1.
NumberRange range_of(DType dtype);

// Is the number a value of the type?
bool has_number(DType dtype, const Rational& number);

// The number that an element of integers or truth values is: `int_at` has what is 2^63 and more less 2^64.
Integer whole_element(const Tensor& tensor, std::int64_t position);

// No element is an infinity or NaN.
bool all_finite(const Tensor& tensor);

// The element nearest to the number, by one rounding, ties to even. Nothing if that is infinite, or the type has no fractions.
std::optional<Rational> nearest_element(DType dtype, const Rational& number);

}  // namespace vouch
