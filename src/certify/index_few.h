// Sums of which no neighbours lie side by side, so that there are no lanes: a few of them at once all the same, since one sum
// waits for each of its additions.
#pragma once

#include <optional>

#include "certify/index_plan.h"

namespace vouch {

// The last axes as one tile, if they are a few elements; or the last one in blocks, where its sums are long. Extents are numbers.
std::optional<IndexTiling> plan_few(const IndexStatement& output);

}  // namespace vouch
