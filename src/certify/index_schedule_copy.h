// Copies of inputs that a schedule makes before all else.
#pragma once

#include <optional>
#include <vector>

#include "certify/index_schedule.h"

namespace vouch {

// One after the other; else an error at the one that does not apply.
std::optional<std::vector<IndexCopy>> fit_copies(const std::vector<ScheduleCopy>& written, IndexKernel kernel,
                                                 const SourceRef& source, Diagnostics& diagnostics);

}  // namespace vouch
