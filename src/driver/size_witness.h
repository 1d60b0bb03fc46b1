// Sizes at which a kernel's certificate says something.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "array/program.h"

namespace vouch {

struct SizeWitness {
  std::optional<std::vector<Integer>> values;  // one for each size; small where that can be, and at least 1
  bool contradictory = false;                  // none were found, and it is proven that there are none
};

// Sizes that satisfy the facts and keep the limits below 2^63.
SizeWitness find_witness(const array::Program& program, const std::vector<array::Size>& limits);

}  // namespace vouch
