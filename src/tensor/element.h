// Numbers as elements of a float type.
#pragma once

#include <optional>

#include "support/number.h"
#include "tensor/dtype.h"

namespace vouch {

// The element nearest to the number, as machines round it (to a double first, ties to even). Nothing if that is infinite, or
// the type has no fractions.
std::optional<Rational> nearest_element(DType dtype, const Rational& number);

}  // namespace vouch
