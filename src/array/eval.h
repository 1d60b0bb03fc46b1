// Evaluation in IEEE binary32, each operation rounded on its own: what the C code must give, bit for bit, when it is
// compiled with -ffp-contract=off. By definition, value by value: independent of the translation to C.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "array/program.h"

namespace vouch::array {

// Cells in the order of coq/lower/OffsetProof.v: arrays element by element, a pair its first half, then its second.
using Cells = std::vector<float>;

// How many cells a type has, with these values of the size variables.
std::size_t cell_count(const Type& type, const std::vector<Integer>& sizes);

// `inputs` are in order and of the right lengths; `sizes` satisfy the facts. Exponentials and other functions are those
// of the C library.
Cells evaluate(const Program& program, const std::vector<Integer>& sizes, const std::vector<Cells>& inputs);

}  // namespace vouch::array
