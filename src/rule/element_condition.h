// Conditions on every element of a constant: `all[v in c](a)`.
//
// A condition is a guard over one variable that stands for any element. What meets it is a number of the rule's: an element that
// is NaN, infinite or -0 meets none, since proofs take elements for numbers.
#pragma once

#include <string_view>

#include "tensor/tensor.h"
#include "term/term.h"

namespace vouch {

// What stands for any element of this constant: an integer, or a scalar of floats.
Symbol element_symbol(std::string_view constant);
Term any_element_of(std::string_view constant, DType dtype);

// Does each element meet the condition? Other variables than the element leave it open, and then the answer is no; so it is of
// more than a million elements.
bool every_element_meets(const Tensor& tensor, Symbol element, Term condition);
bool element_meets(const Tensor& tensor, std::int64_t at, Symbol element, Term condition);

}  // namespace vouch
