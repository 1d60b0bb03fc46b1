// Numbers become elements by one rounding: beside a half-way point the side counts, however near. By hand, from IEEE 754.
#include "tensor/element.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace vouch;

namespace {

Rational power_of_two(int exponent) {
  return exponent < 0 ? Rational(1, Integer(1) << -exponent) : Rational(Integer(1) << exponent);
}

TEST(NearestElement, IsNotThatOfTheNearestDouble) {
  for (DType dtype : {DType::Float32, DType::Float16, DType::BFloat16, DType::Float8E4M3FN, DType::Float8E5M2}) {
    const Rational half = power_of_two(-exact_bits(dtype));  // of the distance between 1 and the next number
    const Rational little = power_of_two(-200);
    EXPECT_EQ(nearest_element(dtype, 1 + half - little), Rational(1)) << dtype_name(dtype);
    EXPECT_EQ(nearest_element(dtype, 1 + half), Rational(1)) << dtype_name(dtype);
    EXPECT_EQ(nearest_element(dtype, 1 + half + little), Rational(1 + half * 2)) << dtype_name(dtype);
    EXPECT_EQ(nearest_element(dtype, -1 - half - little), Rational(-1 - half * 2)) << dtype_name(dtype);
    EXPECT_EQ(nearest_element(dtype, 1 + half * 3 - little), Rational(1 + half * 2)) << dtype_name(dtype);
    EXPECT_EQ(nearest_element(dtype, 1 + half * 3), Rational(1 + half * 4)) << dtype_name(dtype);
  }
}

}  // namespace
