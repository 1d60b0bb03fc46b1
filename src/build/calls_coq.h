// The plan of a library for Coq (coq/build): its data, that it is checked, and that NAME_plan.c is its text.
#pragma once

#include <string>
#include <vector>

#include "build/library_names.h"
#include "certify/certificate.h"

namespace vouch {

// `certificates` are those of the plan's kernels, in order. The file proves `library_correct` and `printed`, and
// prints what they rest on.
std::string calls_certificate(const Library& library, const std::vector<array::CompiledText>& certificates);

}  // namespace vouch
