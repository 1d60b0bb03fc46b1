// Operands that are factors by which sizes grow: positive numbers, each a fraction of small numbers.
#pragma once

#include <cstddef>
#include <optional>

#include "graph/op_table.h"
#include "support/number.h"

namespace vouch {

bool takes_factors(OpId op, std::size_t operand);

// What the number of a file means, which has it as float32: the simplest fraction that rounds to it (0.6f is 3/5).
std::optional<Rational> simple_fraction(const Rational& factor);

}  // namespace vouch
