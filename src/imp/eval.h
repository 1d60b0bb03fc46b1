// Sequential evaluation of flat programs in binary32, with every access checked: an interpreter for tests that need no C
// compiler.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "imp/flat.h"

namespace vouch::array {

struct FlatRun {
  std::vector<float> output;
  std::string problem;  // of the first access outside a variable, read of a cell that was not written, ...; or empty
};

// `variables`: the inputs, then the output with as many cells as it shall have. New variables hold nothing that may be
// read. Scalars are variables of one cell.
FlatRun run_flat(const Flat& program, const std::vector<Integer>& sizes, std::vector<std::vector<float>> variables);

}  // namespace vouch::array
