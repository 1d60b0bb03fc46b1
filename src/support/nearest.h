// Rational numbers as binary ones.
#pragma once

#include "support/number.h"

namespace vouch {

// What becomes of a number by one rounding is not what becomes of the nearest double: 1 + 2^-24 + 2^-60 is between two floats,
// its double half-way. This one of the two doubles around it has an odd last digit, so that a float of at most 51 digits that is
// nearest to it is nearest to the number, ties and all. The number itself where that is a double.
double double_to_round(const Rational& value);

// Ties to even; infinite where no float is near.
float nearest_float(const Rational& value);

}  // namespace vouch
