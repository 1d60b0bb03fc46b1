// Logarithms of products, and what it says of a number that one is taken of it.
#pragma once

#include <optional>

#include "algebra/normal_form.h"

namespace vouch {

// log of the form as a sum of logarithms, as far as signs are known; nothing where it stays one. What a logarithm is taken of is
// taken to be positive: that the sum has a value where it has one is to be shown elsewhere.
std::optional<NormalForm> logarithm(FormBuilder& forms, const NormalForm& arg);

// Divided by what all summands share and is positive: of the same sign.
NormalForm without_positive_factors(const FormBuilder& forms, const NormalForm& form);

// Over the reals an equality says nothing where the source has no value. So a number that the source takes a logarithm of,
// whatever is chosen or compared, is positive, that which it takes a root of is not negative, and so is a factor of it where the
// others are positive. No comparison looks at it.
void assume_functions_defined(FormBuilder& forms, Term source);

}  // namespace vouch
