// A quotient of a quotient is one by the product, where both divisors are positive; and that is no question for the solver.
#include <gtest/gtest.h>

#include "algebra/equality.h"

namespace vouch {
namespace {

class Quotients : public testing::Test {
 protected:
  bool equal(Facts known, Term one, Term other) {
    Arithmetic arithmetic(std::move(known));
    Equality equality(forms, arithmetic);
    bool out = equality.equal_indices(one, other, {});
    queries = arithmetic.queries();
    return out;
  }

  Term a = int_var("a"), b = int_var("b"), c = int_var("c"), x = int_var("x");
  Facts sizes{ge(int_var("a"), 1), ge(int_var("b"), 1), ge(int_var("c"), 1)};
  FormBuilder forms{Algebra::Exact, {}};
  std::size_t queries = 0;
};

TEST_F(Quotients, OfQuotientsAreByTheProduct) {
  EXPECT_TRUE(equal(sizes, floor_div(floor_div(x, a), b), floor_div(x, a * b)));
  EXPECT_EQ(queries, 0U);
  EXPECT_TRUE(equal(sizes, b * floor_div(floor_div(floor_div(x, a), b), c), b * floor_div(floor_div(x, a * c), b)));
  EXPECT_EQ(queries, 0U);
}

TEST_F(Quotients, OfOtherTermsAreNot) {
  EXPECT_FALSE(equal({}, floor_div(floor_div(x, a), b), floor_div(x, a * b)));         // of a = -1, b = 2 nothing is known
  EXPECT_FALSE(equal(sizes, floor_div(floor_div(x, a) + 1, b), floor_div(x, a * b)));  // x = 0, a = b = 1
  EXPECT_FALSE(equal(sizes, floor_div(floor_div(x, a), b), floor_div(x, a * c)));
}

}  // namespace
}  // namespace vouch
