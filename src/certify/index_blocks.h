// Plans for products: sums whose terms read along the lanes and along the rows apart, as matrix products and convolutions do.
// Their tiles fill the vector registers, what is read along the lanes lies side by side in a copy, and blocks of it stay in the
// cache (Goto and van de Geijn, Anatomy of high-performance matrix multiplication, ACM TOMS 34(3), 2008).
#pragma once

#include "certify/index_product.h"

namespace vouch {

// Nothing if the kernel is no such sum.
std::optional<IndexTiling> plan_product(const ProductKernel& product, const TileTarget& target, const CopyChoice& copies);

}  // namespace vouch
