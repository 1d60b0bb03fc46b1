// Conditions that the bounds of loops, and conditions around them, decide: a bounds test that always holds is none, nor is one
// that an enclosing condition has made. Mirrors coq/lower/Conditions.v step by step, which has the proof.
#pragma once

#include <optional>
#include <vector>

#include "imp/flat.h"
#include "lower/simplify.h"
#include "term/term.h"

namespace vouch::array {

// What is known where a condition stands.
struct Known {
  const Bounds& bounds;
  const std::vector<unsigned>& around;  // the variables of enclosing loops, innermost first
  std::vector<Term> told = {};          // polynomials of sizes s0, s1, … and loop variables i0, i1, … that are not negative
};

// What also is known where the condition has the value `yes`.
Known learnt(const Known& known, bool yes, const Guard& guard);

// A condition without what is decided, or the value it always has.
struct Outcome {
  std::optional<bool> decided;
  Guard guard;  // unless decided
};
Outcome shortened(const Known& known, const Guard& guard);

}  // namespace vouch::array
