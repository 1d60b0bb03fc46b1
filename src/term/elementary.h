// Guaranteed enclosures of the scalar functions.
#pragma once

#include <optional>
#include <span>

#include "term/enclosure.h"
#include "term/term.h"

namespace vouch {

// An enclosure of fn(args), about `bits` bits wide where the function is transcendental; exact where the value is known
// to be rational (field operations, roots of squares, integral powers, exp(0), …). Nothing: not defined in the reals
// (log(-1), 1 mod 0), not decided at this precision (a pole within the enclosure), or too large to write down
// (exp(10^6)).
std::optional<Enclosure> eval_fn(Fn fn, std::span<const Enclosure> args, int bits);

}  // namespace vouch
