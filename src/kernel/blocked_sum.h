// Sums over products and over elements in blocks that stay in registers and caches. Each sum adds its terms in the order of
// `steps`, so that the bits are those of the plain loop. For blocked_reduction.h alone.
#pragma once

#include <cstdint>
#include <span>

#include "term/term.h"

namespace vouch {

// Where a result's element stands among the results, and from where its operand is read.
struct BlockPoint {
  std::int64_t read = 0;
  std::int64_t write = 0;
};

template <class T>
struct BlockSide {
  const T* data = nullptr;
  std::span<const BlockPoint> points;
  std::span<const std::int64_t> steps;  // added to `read`, for each term of the sum
};

// total[r.write + l.write] = sum(k) rows.data[r.read + rows.steps[k]] * lanes.data[l.read + lanes.steps[k]] for each point r of
// the one and l of the other. A product of two floats is exact in double: fused or not, the sum is the same. Products of doubles
// are rounded before they are added.
template <class T>
void sum_products(const BlockSide<T>& rows, const BlockSide<T>& lanes, double* total);

// total[p.write] = the terms data[p.read + steps[k]] added (or multiplied, or the largest or smallest of them).
template <class T>
void fold_elements(Reduction reduction, const BlockSide<T>& side, double* total);

}  // namespace vouch
