// Rational numbers become the nearest doubles and floats: what glibc reads of the same number in digits, which is exact.
#include "support/nearest.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>
#include <string>

using namespace vouch;

namespace {

// `digits` * 10^-`places`, in both forms.
struct Decimal {
  std::string text;
  Rational number;
};

Decimal decimal(const Integer& digits, int places) {
  return {digits.str() + "e" + std::to_string(-places),
          places < 0 ? Rational(Integer(digits * pow(Integer(10), -places))) : Rational(digits, pow(Integer(10), places))};
}

// A half-way point of two numbers whose last digit is 2^exponent, and both its sides; 5^k is exact in decimals.
std::vector<Decimal> around_half(std::uint64_t mantissa, int exponent) {
  Integer twice = Integer(mantissa) * 2 + 1;
  int places = std::max(0, 1 - exponent);
  Integer exact = exponent > 0 ? Integer(twice << (exponent - 1)) : Integer(twice * pow(Integer(5), places));
  Integer wide = exact * pow(Integer(10), 20);
  return {decimal(exact, places), decimal(wide - 1, places + 20), decimal(wide + 1, places + 20)};
}

void expect_as_read(const Decimal& decimal) {
  EXPECT_EQ(double_of(decimal.number), std::strtod(decimal.text.c_str(), nullptr)) << decimal.text;
  EXPECT_EQ(double_of(-decimal.number), -std::strtod(decimal.text.c_str(), nullptr)) << decimal.text;
  EXPECT_EQ(nearest_float(decimal.number), std::strtof(decimal.text.c_str(), nullptr)) << decimal.text;
  EXPECT_EQ(nearest_float(-decimal.number), -std::strtof(decimal.text.c_str(), nullptr)) << decimal.text;
}

TEST(Nearest, BetweenTwoNumbersOfTheType) {
  std::mt19937_64 random(17);
  for (int exponent : {-1074, -1073, -1060, -1022, -500, -149, -148, -140, -126, -24, -1, 0, 1, 5, 75, 104, 105, 900, 971}) {
    for (int digits : {1, 2, 8, 23, 24, 25, 52, 53}) {
      std::uint64_t mantissa = random() >> (64 - digits);
      for (const Decimal& one : around_half(mantissa, exponent)) {
        expect_as_read(one);
      }
    }
  }
}

TEST(Nearest, Anything) {
  std::mt19937_64 random(18);
  for (int k = 0; k < 4000; ++k) {
    expect_as_read(decimal(Integer(random()), static_cast<int>(random() % 720) - 310));
  }
  for (int places : {-400, -310, -309, -308, -39, -38, 0, 44, 45, 46, 323, 324, 325, 5000}) {
    expect_as_read(decimal(Integer(1), places));
  }
}

TEST(Nearest, OneRoundingIsNotTwo) {
  // Above half of the way from 1 to the next float; its double is half of the way.
  Rational number = 1 + Rational(1, Integer(1) << 24) + Rational(1, Integer(1) << 60);
  EXPECT_EQ(nearest_float(number), std::nextafter(1.0F, 2.0F));
  EXPECT_EQ(static_cast<float>(double_of(number)), 1.0F);
  EXPECT_EQ(double_to_round(Rational(3, 8)), 0.375);
}

}  // namespace
