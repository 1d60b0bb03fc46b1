#include "driver/decimals.h"

#include <gtest/gtest.h>

namespace vouch {
namespace {

TEST(Decimals, QuotientsAreNumbersToAReader) {
  EXPECT_EQ(with_decimals("{axis = -2, epsilon = 11258999/1125899906842624} (411, 8)"), "{axis = -2, epsilon = 1e-08} (411, 8)");
  EXPECT_EQ(with_decimals("alpha = -1/8; beta = 13421773/134217728"), "alpha = -0.125; beta = 0.1");
  EXPECT_EQ(with_decimals("1/2"), "0.5");
}

TEST(Decimals, WhatIsNoneStays) {
  for (const char* text : {"", "12", "/a/b", "a/1", "1/", "/2", "conv1/2d", "(1, 0)", "3//4"}) {
    EXPECT_EQ(with_decimals(text), text);
  }
}

}  // namespace
}  // namespace vouch
