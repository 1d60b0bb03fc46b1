// Inputs that a rule speaks of at size 0. All others are proven for sizes of at least 1, and fire there alone.
#pragma once

#include <vector>

#include "instance/input_options.h"

namespace vouch {

// By pattern. A rule speaks of sizes of 0 where it compares an item of a shape with the number 0 (`x.shape[0] == 0`,
// `x.shape[i] >= 0`), or a shape with a tuple
// that has one: of the inputs that this shape is computed from, and of those whose shapes a condition compares with theirs.
std::vector<bool> inputs_spoken_of_as_empty(const Rule& rule);

// Beside each option those in which some of the axes that it leaves open are of size 0.
std::vector<InputOption> with_empty_axes(std::vector<InputOption> options);

}  // namespace vouch
