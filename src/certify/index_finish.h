// What is done to an element when its sum is complete: in a tile, before it is stored. Mirrors coq/index/Finish.v, definition by
// definition; why that is right is proven there.
#pragma once

#include <optional>

#include "certify/index_plan.h"
#include "certify/index_tile.h"

namespace vouch {

// Nothing is done. A body of what is done reads the complete sum as tensor 0, without axes; then come the tensors.
IndexBody itself();
bool is_itself(const IndexBody& b);
// What the statement does to its tensor 0; it has no loops, and reads that tensor at its own indices only.
IndexBody ending(const IndexStatement& s);
// What the summands of a statement without loops add up to.
IndexBody end_terms(const std::vector<IndexSummand>& summands);
// The read is at the indices of a statement of these extents, and so of a tensor that has them.
bool is_own(const IndexBody& read, const std::vector<array::Size>& extents);
// The same, under so many data variables that now are tensors too.
IndexBody past(unsigned count, IndexBody b);
// A tile of sums under `depth` data variables, finished; the body is meant at the tile's positions, then the loops around.
array::Exp finished(const array::IndexContext& context, const std::vector<array::Size>& lanes, unsigned depth,
                    const IndexBody& end, const array::Exp& sums);

// The kernel whose output is the last local, if the output does no more than finish each of that local's elements, one by one.
std::optional<IndexKernel> unfinished(const IndexKernel& kernel);
// From a plan of that kernel: sums in blocks end with one that stands alone, so that it can be told from those before.
IndexPlan finishing(const IndexPlan& sums);

}  // namespace vouch
