// Copies of inputs that a schedule makes before all else.
#pragma once

#include <string>

#include "certify/index_schedule.h"

namespace vouch {

// What does not apply, or nothing; then `out` is the copy.
std::string fit_copy(const ScheduleCopy& written, const IndexKernel& kernel, IndexCopy& out);

}  // namespace vouch
