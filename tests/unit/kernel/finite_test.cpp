#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tensor/element.h"
#include "tensor/tensor.h"

namespace vouch {
namespace {

TEST(AllFinite, LooksAtEachElementOfEachType) {
  for (DType dtype : {DType::Float32, DType::Float64, DType::Float16, DType::BFloat16, DType::Float8E5M2}) {
    for (double wild : {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                        std::numeric_limits<double>::quiet_NaN()}) {
      for (std::int64_t at : {0, 3, 66}) {
        Tensor tensor(dtype, {67});
        for (std::int64_t k = 0; k < 67; ++k) {
          tensor.set_double(k, k % 2 == 0 ? -1.5 : 49152);  // the largest powers of two and their halves are finite, too
        }
        EXPECT_TRUE(all_finite(tensor)) << dtype_name(dtype);
        tensor.set_double(at, wild);
        EXPECT_EQ(all_finite(tensor), std::isfinite(tensor.double_at(at))) << dtype_name(dtype) << " at " << at;
      }
    }
  }
  EXPECT_TRUE(all_finite(Tensor(DType::Int64, {2})));
}

}  // namespace
}  // namespace vouch
