// Minima and maxima of the same numbers, equal whatever the order of these.
//
// A threshold turns numbers into truth values, minima into conjunctions and maxima into disjunctions. Two terms of minima and
// maxima are equal for all numbers that meet inequalities of such terms if they are equal for all truth values that meet them:
// at numbers where the two differed, a threshold between both values would tell them apart.
#pragma once

#include "algebra/equality.h"

namespace vouch {

// Is the form a difference of two such terms that the context makes equal? Up to twelve numbers are looked at.
bool vanishes_in_every_order(FormBuilder& forms, const NormalForm& difference, const Context& context);

}  // namespace vouch
