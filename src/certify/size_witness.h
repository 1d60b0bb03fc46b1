// The part of a certificate that says of which sizes it speaks (coq/certify/Witness.v).
#pragma once

#include <string>
#include <vector>

#include "array/program.h"

namespace vouch::array {

// `witness` gives each size a value that satisfies the program's facts; `limits` are below 2^63 there, and every size that must
// be follows from them. Coq checks both by computation.
std::string certificate_witness(const std::vector<Integer>& witness, const std::vector<Size>& limits);

}  // namespace vouch::array
