// Scalar functions on doubles, as term.h names them.
#pragma once

#include <cmath>

#include "term/term.h"

namespace vouch {

// One-argument functions ignore `b`.
double apply_fn(Fn fn, double a, double b);

// NaN wins, as in ONNX; -0 is smaller than 0, so that the order of operands does not matter.
inline double larger(double a, double b) { return b > a || b != b || (b == a && std::signbit(a)) ? b : a; }
inline double smaller(double a, double b) { return b < a || b != b || (b == a && std::signbit(b)) ? b : a; }

}  // namespace vouch
