// Quotients without the factors of both, and the neighbours that must be left alone.
#include "facts/short_quotients.h"

#include <gtest/gtest.h>

#include "variables.h"

namespace vouch {
namespace {

class ShortQuotients : public testing::Test {
 protected:
  std::vector<ShortQuotient> of(Term quotient) const { return short_quotients({eq(quotient, var("q"))}, equals_, facts_); }

  Term x_ = var("x");
  Term y_ = var("y");
  Term z_ = var("z");
  Substitution equals_{{Symbol("w"), x_}};
  Facts facts_{ge(x_, 1), ge(y_, 1), ge(z_, 1)};
};

TEST_F(ShortQuotients, AFactorOfBothIsLeftOut) {
  Term written = floor_div(var("w") * y_, x_ * z_);
  std::vector<ShortQuotient> found = of(written);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].dividend, y_);
  EXPECT_EQ(found[0].divisor, z_);
  ASSERT_EQ(found[0].written.size(), 1U);
  EXPECT_EQ(found[0].written[0].quotient, written);
  EXPECT_EQ(found[0].written[0].factor, x_);
}

TEST_F(ShortQuotients, OneNameStandsForAllThatAreTheSame) {
  Term i = var("i");
  std::vector<ShortQuotient> found =
      short_quotients({floor_div(x_ * y_, x_ * z_), floor_div(y_, z_), floor_div(y_, x_)}, equals_, facts_);
  ASSERT_EQ(found.size(), 1U);
  Term q = int_var(found[0].name);
  EXPECT_EQ(with_names(i + 2 * floor_div(x_ * y_, x_ * z_), found), i + 2 * q);
  EXPECT_EQ(with_names(i + 2 * floor_div(y_, z_), found), i + 2 * q);
  EXPECT_EQ(with_names(floor_div(y_, x_), found), floor_div(y_, x_));
}

TEST_F(ShortQuotients, WhatMayBeZeroOrASumIsNoFactor) {
  Term u = var("u");
  EXPECT_TRUE(of(floor_div(u * y_, u * z_)).empty());
  EXPECT_TRUE(of(floor_div(x_ * y_ + z_, x_ * z_)).empty());
  EXPECT_TRUE(of(floor_div(x_ * y_, x_ * z_ + 1)).empty());
  EXPECT_TRUE(of(floor_div(y_, z_)).empty());
}

}  // namespace
}  // namespace vouch
