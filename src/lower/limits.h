// Sizes that 64 bits cannot count, whatever the size variables are.
#pragma once

#include <optional>

#include "array/program.h"
#include "imp/flat.h"

namespace vouch::array {

// A part without variables of some size in the program, or of the whole of an input or the output, that is 2^63 or more:
// the C text would have a number that is none of C's, or an index that overflows.
std::optional<Size> size_beyond_64_bits(const Program& program, const Flat& flat);

}  // namespace vouch::array
