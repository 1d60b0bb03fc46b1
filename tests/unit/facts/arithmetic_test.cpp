// What follows from integer facts, and close by what does not: each goal that must not be entailed has a counterexample,
// named beside it.
#include "facts/arithmetic.h"

#include <gtest/gtest.h>

#include "variables.h"

namespace vouch {
namespace {

TEST(Arithmetic, QuotientsByAPartOfAMultiple) {
  Term w = var("w");
  Term g = var("g");
  Term i = var("i");
  Term group = floor_div(i, floor_div(w, g));
  Facts sizes{ge(w, 1), ge(g, 1), ge(i, 0), lt(i, w), ge(floor_div(w, g), 1)};
  Facts dividing = sizes;
  dividing.push_back(eq(floor_mod(w, g), 0));
  EXPECT_TRUE(Arithmetic(dividing).entails({}, lt(group, g)));
  EXPECT_FALSE(Arithmetic(dividing).entails({}, lt(group, g - 1)));
  // w = 5, g = 2: the parts have 2, and 4 // 2 = 2.
  EXPECT_FALSE(Arithmetic(sizes).entails({}, lt(group, g)));
}

// An answer is remembered by the facts that it rests on: fewer facts ask anew.
TEST(Arithmetic, AnswersDoNotOutliveTheirFacts) {
  Term n = var("n");
  Term q = floor_div(var("e"), n);
  Facts more{ge(var("e"), 0), eq(n * q, var("e"))};
  EXPECT_TRUE(Arithmetic(Facts{ge(n, 1)}).entails(more, ge(q, 0)));
  // Nothing says that n is positive: n = -1, e = 1.
  EXPECT_FALSE(Arithmetic(Facts{}).entails(more, ge(q, 0)));
  EXPECT_TRUE(Arithmetic(Facts{ge(n, 2)}).entails(more, ge(q, 0)));
}

}  // namespace
}  // namespace vouch
