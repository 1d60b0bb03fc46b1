// Minima and maxima of the same numbers, equal whatever the order of these.
//
// A threshold turns numbers into truth values, minima into conjunctions and maxima into disjunctions. Two terms of minima and
// maxima are equal for all numbers that meet inequalities of such terms if they are equal for all truth values that meet them:
// at numbers where the two differed, a threshold between both values would tell them apart.
#pragma once

#include <functional>

#include "algebra/equality.h"

namespace vouch {

// Is the form a difference of two such terms that the context makes equal? Up to twelve numbers are looked at. `never_negative`
// is asked of differences of up to six of them, where what the context says of these very terms is not enough.
bool vanishes_in_every_order(FormBuilder& forms, const NormalForm& difference, const Context& context,
                             const std::function<bool(const NormalForm&)>& never_negative);

}  // namespace vouch
