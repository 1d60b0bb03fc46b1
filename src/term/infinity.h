// Infinity as a scalar term: what is larger than every number, the minimum of nothing.
#pragma once

#include <optional>

#include "term/term.h"

namespace vouch {

// The empty maximum is minus infinity, the empty minimum plus infinity.
Term infinity(bool positive);

// Whether it is plus infinity; nothing for what is not one of these two terms.
std::optional<bool> infinite_sign(Term scalar);

// Whether one of them is a part of the term.
bool speaks_of_infinity(Term term);

}  // namespace vouch
