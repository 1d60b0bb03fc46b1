// Scalar terms that are integers for sure, as integer terms: how element arithmetic becomes size arithmetic.
#pragma once

#include <optional>

#include "term/term.h"

namespace vouch {

// The integer term with the value of this scalar term, if it is integral for sure and free of tensor reads.
std::optional<Term> integral_term(Term scalar);

}  // namespace vouch
