// Terms that are one integer variable.
#pragma once

#include "term/term.h"

namespace vouch {

inline Term var(const char* name) { return int_var(Symbol(name)); }

}  // namespace vouch
