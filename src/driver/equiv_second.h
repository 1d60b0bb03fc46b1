// A second solver's word on what the regions of `vouch equiv` rest on.
#pragma once

#include <string>

#include "equiv/equiv.h"

namespace vouch {

// Equal stays equal only if the solver agrees on every query that a region's proof asked; otherwise the verdict is open, and the
// regions are named. The text says what was asked.
std::string recheck_regions(EquivResult& result, const RegionVerdicts& verdicts, const std::string& solver);

}  // namespace vouch
