// The hot path: sums of products in which one factor does not change along some outer axis and the other does not change
// from lane to lane (matrix products, convolutions). Both are laid out as panels by loop programs and multiplied in
// tiles.
#pragma once

#include <optional>
#include <string>

#include "kernel/loop_compile.h"

namespace vouch {

// out[p, row, lane] = sum over k of b[p, k, row] * a[p, k, lane], in double, in the order of k.
struct ProductPlan {
  LoopProgram a;            // outer axes: p, then k; lanes: the lane axes
  LoopProgram b;            // outer axes: p, then k; lanes: the row axis
  std::vector<Axis> outer;  // p, with the strides of the result
  Axis row;
  std::int64_t lanes = 1;
  std::int64_t depth = 1;   // number of k
  std::int64_t row_tile = 1;
  std::int64_t lane_tile = 1;
};

// Splits a reduction (prepared with `ranges`, over the axes `outer` and `lanes`, strides as in the result) if it is such
// a sum and worth it. May split an outer axis in two, for `o // m` that is the same for m rows.
std::optional<ProductPlan> plan_product(Term reduction, const std::vector<Axis>& outer, const std::vector<Axis>& lanes,
                                        const TensorTable& tensors, Ranges& ranges);

// Fills the result (row-major doubles). False: a check failed, with its message.
bool run_product(const ProductPlan& plan, std::span<const Tensor> tensors, std::span<double> result, int threads,
                 std::string& failure);

}  // namespace vouch
