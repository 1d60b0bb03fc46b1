// Equations between products, and the neighbours that must be left alone.
#include "facts/product_equations.h"

#include <gtest/gtest.h>

#include "variables.h"

namespace vouch {
namespace {

class ProductEquations : public testing::Test {
 protected:
  Term a_ = var("a");
  Term b_ = var("b");
  Term m_ = var("m");
  Term n_ = var("n");
  std::vector<ProductEquation> equations_ = product_equations({eq(a_ * b_, m_* n_)});
};

TEST_F(ProductEquations, TheProductThatComesFirstStays) {
  EXPECT_EQ(rewritten(m_ * n_, equations_), a_ * b_);
  EXPECT_EQ(rewritten(a_ * b_, equations_), a_ * b_);
  EXPECT_EQ(rewritten(7 + 3 * m_ * n_ * n_, equations_), 7 + 3 * a_ * b_ * n_);
  EXPECT_EQ(rewritten(floor_div(var("i"), m_ * n_), equations_), floor_div(var("i"), a_ * b_));
}

TEST_F(ProductEquations, PartsOfAProductStay) {
  EXPECT_EQ(rewritten(m_ * m_, equations_), m_ * m_);
  EXPECT_EQ(rewritten(m_ + n_, equations_), m_ + n_);
  EXPECT_TRUE(
      product_equations({eq(2 * a_ * b_, m_ * n_), eq(a_ * b_ + 1, m_ * n_), le(a_ * b_, m_ * n_), eq(a_, m_ * n_)}).empty());
}

TEST_F(ProductEquations, AQuotientThatDividesIsUndone) {
  Term q = floor_div(a_ * b_, m_);
  std::vector<ProductEquation> exact = product_equations({eq(m_ * q, a_ * b_)});
  EXPECT_EQ(rewritten(m_ * q * n_, exact), a_ * b_ * n_);
  EXPECT_EQ(rewritten(q * n_, exact), q * n_);
}

TEST_F(ProductEquations, OnlyPositiveFactorsAreCancelled) {
  Term fact = eq(a_ * b_, a_ * n_);
  EXPECT_EQ(without_common_factor(fact, {ge(a_, 1)}), eq(b_, n_));
  EXPECT_EQ(without_common_factor(fact, {ge(a_, 0)}), std::nullopt);
  EXPECT_EQ(without_common_factor(fact, {ge(b_, 1)}), std::nullopt);
  EXPECT_EQ(without_common_factor(le(a_ * b_, a_ * n_), {ge(a_, 1)}), std::nullopt);
}

}  // namespace
}  // namespace vouch
