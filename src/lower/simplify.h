// Simpler index terms in flat programs, where the bounds of loop variables allow it: (i*n + j) / n is i and (i*n + j) % n is j
// under j < n, x/n*n + x%n is x, constants are computed; conditions that are decided are left out (`conditions.h`). What is
// assigned to itself is left out, and the loops around it. Mirrors coq/lower/Simple.v and Simplify.v step by step, which have the
// proof.
#pragma once

#include <map>
#include <optional>

#include "imp/flat.h"

namespace vouch::array {

// The number of iterations of the loop over each variable.
using Bounds = std::map<unsigned, Size>;

// A size that the term is below.
std::optional<Size> top(const Bounds& bounds, const Index& e);
bool below(const Bounds& bounds, const Index& e, const Size& n);
Index simple(const Bounds& bounds, const Index& e);
Flat simplify(const Flat& program);

}  // namespace vouch::array
