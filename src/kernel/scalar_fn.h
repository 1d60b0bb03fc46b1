// Scalar functions on doubles, as term.h names them.
#pragma once

#include "term/term.h"

namespace vouch {

// One-argument functions ignore `b`.
double apply_fn(Fn fn, double a, double b);

}  // namespace vouch
