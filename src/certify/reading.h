// What a kernel computes, as a Coq theorem that a person can read: scalar by scalar, with names, sizes and addresses.
#pragma once

#include <optional>
#include <string>

#include "array/program.h"

namespace vouch::array {

// The theorem `computes` about `kernel`, `kernel_text` and `certified` of a certificate, with its proof (the tactic of
// coq/certify/Reading.v). Nothing if the kernel does not read so: pairs among inputs or output, an array that is
// accumulated from other cells than the one that is written, or more than a page of text.
std::optional<std::string> readable_theorem(const Program& program);

}  // namespace vouch::array
