// What a certificate assumes of a kernel's sizes, and sizes at which it says something.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "array/program.h"
#include "driver/manifest.h"
#include "imp/flat.h"
#include "support/diagnostic.h"

namespace vouch {

struct KernelAssumptions {
  SizeAssumptions lines;  // for the manifest
  std::vector<array::Size> limits;
  std::vector<Integer> witness;
};
// Of the program that is computed by `flat`. Nothing, with an error, if there are no such sizes: a certificate would say nothing.
std::optional<KernelAssumptions> assumptions_of(const array::Program& program, const array::Flat& flat, const std::string& place,
                                                Diagnostics& diagnostics);

// Numbers that C's 64 bits do not hold have no certificate.
bool countable(const array::Program& program, const std::string& place, Diagnostics& diagnostics);

}  // namespace vouch
