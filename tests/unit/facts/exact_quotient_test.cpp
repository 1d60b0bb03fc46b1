// Quotients that equations say are whole: what is found holds at every small point where the facts do.
#include "facts/exact_quotient.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "facts/arithmetic.h"
#include "facts/bounds.h"
#include "term/substitute.h"
#include "variables.h"

namespace vouch {
namespace {

const std::array<const char*, 4> kVariables = {"a", "b", "c", "d"};

// A size that a reshape infers of a * c elements, where the other axis has d.
struct Inferred {
  Term a = var("a");
  Term b = var("b");
  Term c = var("c");
  Term d = var("d");
  Term size = floor_div(a * c, d);
  Facts sizes{ge(a, 1), ge(b, 1), ge(c, 1), ge(d, 1)};
  Facts divides{ge(a, 1), ge(b, 1), ge(c, 1), ge(d, 1), eq(a* c, d* size)};
};

TEST(ExactQuotient, AFactNamesTheQuotientWithoutARest) {
  Term q = floor_div(var("a"), var("b"));
  EXPECT_EQ(exact_quotient_of(eq(var("a"), var("b") * q)), q);
  EXPECT_EQ(exact_quotient_of(eq(var("b") * q, var("a"))), q);
  EXPECT_FALSE(exact_quotient_of(eq(var("a"), var("b") * q + 1)));
  EXPECT_FALSE(exact_quotient_of(eq(var("a"), var("c") * q)));
  EXPECT_FALSE(exact_quotient_of(ge(var("a"), var("b") * q)));
}

TEST(ExactQuotient, ADividedMultipleLeavesTheOtherFactors) {
  Inferred s;
  EXPECT_EQ(quotient_by_equation(s.a * s.c, s.size, s.divides), s.d);
  EXPECT_EQ(quotient_by_equation(s.a * s.c * s.b, s.d * s.size, s.divides), s.b);  // the equation times b
  EXPECT_FALSE(quotient_by_equation(s.a * s.c, s.size, s.sizes));
  EXPECT_FALSE(quotient_by_equation(s.a * s.c + 1, s.size, s.divides));
  EXPECT_FALSE(quotient_by_equation(s.a, s.size, s.divides));
}

// a = 1, d = 2: the size is 0 unless a * c is a multiple of d.
TEST(ExactQuotient, WhatLeavesNoRestIsPositive) {
  Inferred s;
  EXPECT_TRUE(LowerBounds(s.divides).entails(ge(s.size, 1)));
  EXPECT_FALSE(LowerBounds(s.sizes).entails(ge(s.size, 1)));
  EXPECT_FALSE(LowerBounds(s.divides).entails(ge(s.size, 2)));
  Facts maybe_none = s.divides;
  maybe_none[0] = ge(s.a, 0);
  EXPECT_FALSE(LowerBounds(maybe_none).entails(ge(s.size, 1)));
}

TEST(ExactQuotient, GoalsSpeakOfTheOtherFactors) {
  Inferred s;
  EXPECT_TRUE(Arithmetic(s.divides).entails({}, eq(s.d, floor_div(s.a * s.c, s.size))));
  EXPECT_TRUE(Arithmetic(s.divides).entails({}, eq(s.a * s.c, s.size * floor_div(s.a * s.c, s.size))));
  // a = 3, c = 1, d = 2: the size is 1, and 3 // 1 is 3.
  EXPECT_FALSE(Arithmetic(s.sizes).entails({}, eq(s.d, floor_div(s.a * s.c, s.size))));
  EXPECT_FALSE(Arithmetic(s.divides).entails({}, eq(s.c, floor_div(s.a * s.c, s.size))));  // a = 2, c = 1, d = 2
  // The size may be negative, and so no divisor of which anything is known.
  Facts unsigned_factors(s.divides.begin() + 4, s.divides.end());
  EXPECT_FALSE(Arithmetic(unsigned_factors).entails({}, eq(s.d, floor_div(s.a * s.c, s.size))));
}

Term product_of(std::mt19937& random, int most) {
  Term out = 1;
  for (int k = static_cast<int>(random() % static_cast<unsigned>(most)); k >= 0; --k) {
    out = out * var(kVariables[random() % 4]);
  }
  return out;
}

std::optional<bool> at_point(Term guard, const std::array<std::int64_t, 4>& point) {
  for (std::size_t k = 0; k < kVariables.size(); ++k) {
    guard = substitute(guard, Symbol(kVariables[k]), Term(point[k]));
  }
  return const_bool(guard);
}

TEST(ExactQuotient, IsTheQuotientAtAllSmallPoints) {
  std::mt19937 random(7);
  int found = 0;
  for (int round = 0; round < 6000; ++round) {
    Term e = product_of(random, 4);
    Term part = floor_div(product_of(random, 3), product_of(random, 2));
    Term m = random() % 2 == 0 ? product_of(random, 2) : part * product_of(random, 2);
    Term fact = eq(product_of(random, 4), random() % 2 == 0 ? product_of(random, 3) : part * product_of(random, 3));
    auto q = quotient_by_equation(e, m, {fact});
    if (!q) {
      continue;
    }
    ++found;
    for (int at = 0; at < 256; ++at) {
      std::array<std::int64_t, 4> point = {at % 4 + 1, at / 4 % 4 + 1, at / 16 % 4 + 1, at / 64 + 1};
      bool met = at_point(fact, point).value_or(false) && at_point(ge(m, 1), point).value_or(false);
      ASSERT_TRUE(!met || at_point(eq(*q, floor_div(e, m)), point).value_or(true)) << round;
    }
  }
  EXPECT_GT(found, 100);
}

}  // namespace
}  // namespace vouch
