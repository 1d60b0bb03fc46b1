// Plans for large products: what is read along the lanes is copied panel by panel, block by block of the sum, where it is used
// (Goto and van de Geijn, Anatomy of high-performance matrix multiplication, ACM TOMS 34(3), 2008). Rows are walked in groups
// whose elements stay in a cache while all tiles of a panel go over them.
#pragma once

#include "certify/index_product.h"

namespace vouch {

// There are panels for several threads, and a sum that is long enough to be worth copies.
bool worth_panels(const Axes& axes, const Product& product, const TileTarget& target);

IndexPlan plan_panels(const Axes& axes, const Product& product, const TileTarget& target);

}  // namespace vouch
