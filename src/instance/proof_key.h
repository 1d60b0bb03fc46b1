// What the proof of an instance depends on, so that instances which differ in names of element types or words alone
// (`auto_pad VALID` and no padding, float32 and float64) are proven once.
#pragma once

#include <cstdint>
#include <vector>

#include "instance/instance.h"

namespace vouch {

// Equal keys: the same facts, obligations, outputs, calls that may end a run, and truth tensors, term by term. Element types take
// part only as far as a proof asks for them: which tensors hold truth values, and which hold integers if it matters that those
// wrap around.
std::vector<std::uintptr_t> proof_key(const Instance& instance);

// What is proven of it is claimed of the element types of its inputs alone: it was made so, or its scope says so of each. (Where
// only sums and products are computed, nobody asks.)
bool claims_own_types(const Instance& instance);

}  // namespace vouch
