// exp, tanh and erf of floats by fixed polynomials of which compilers make lanes, by choice. Mirrors coq/index/Lanes.v, which
// says what a kernel means then: the same over numbers whose exp is ExpLanes, and so on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "array/program.h"
#include "certify/index_kernel.h"
#include "support/diagnostic.h"

namespace vouch {

// With the approximations instead. Errors, at `place`: there is exp, tanh or erf of other numbers than floats of 32 bits.
std::optional<array::Program> in_lanes(const array::Program& written, const std::string& place, Diagnostics& diagnostics);
std::optional<std::vector<IndexKernel>> in_lanes(const std::vector<IndexKernel>& written, const std::string& place,
                                                 Diagnostics& diagnostics);
// Whether there is anything to approximate, in floats of 32 bits.
bool has_lanes(const IndexKernel& written);
IndexKernel in_lanes(const IndexKernel& written);

// What a certificate says besides, after its definition of `index_kernel`: that this is the written kernel, in lanes.
std::string lanes_certificate(const IndexKernel& written);
// After its definition of the source `name`, a functional program: that its term is the written one's, in lanes.
std::string lanes_certificate(const array::Program& written, const std::string& name);

}  // namespace vouch
