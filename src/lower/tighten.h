// Loops that make no iteration for which a condition inside of them does not hold: where it compares the loop variable with what
// the loop does not change, it becomes a bound. Mirrors coq/lower/Tighten.v step by step, which has the proof.
#pragma once

#include "imp/flat.h"

namespace vouch::array {

Flat tightened(const Flat& program);

}  // namespace vouch::array
