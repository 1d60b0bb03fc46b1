// Plans that add in another order (index_order.h), for sums that one accumulator would leave waiting: partial sums in lanes along
// what is read, and blocks of them for threads. What they compute is not the kernel as it is written, bit for bit, so they are
// chosen by who asks for them.
#pragma once

#include "certify/index_plan.h"

namespace vouch {

// How many partial sums there are. The same for all processors, so that the bits are.
struct OrderForm {
  Integer lanes = 64;      // of a sum that stands alone
  Integer block = 2048;    // terms of each lane in a block of such a sum
  Integer row_lanes = 16;  // of each of many sums
  long rows = 8;           // registers of many sums side by side
};

// Nothing where no sum of the kernel is worth it, or where it has more to do than to add, as products of matrices have.
std::optional<IndexTiling> plan_reordered(const IndexKernel& kernel, const TileTarget& target = kTileTargets[0],
                                          const OrderForm& form = {});

}  // namespace vouch
