// The parts of a term, itself among them, each looked at once.
#pragma once

#include <functional>

#include "term/term.h"

namespace vouch {

// Whether all parts fit; looks no further where one does not.
bool everywhere(Term root, const std::function<bool(Term)>& fits);

}  // namespace vouch
