// Sums that wait for memory: one of their inputs is read along with every axis of the output and with the sum, so that no tile of
// elements reads it less often, and its neighbours lie along a loop of the sum.
#pragma once

#include <optional>

#include "certify/index_kernel.h"

namespace vouch {

// The loop, counted from the outermost on, of the first summand that has loops, along which all that moves with it is read
// neighbour by neighbour. Nothing where there is none; where elements of the output, `lanes` or more, may be computed side by
// side as they are; and where the loop decides what is read or added.
std::optional<unsigned> streamed_loop(const IndexStatement& statement, const Integer& lanes);

}  // namespace vouch
