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

TEST(Arithmetic, ProductsThatAreEqualToAThird) {
  Term a = var("a");
  Term b = var("b");
  Term c = var("c");
  Term d = var("d");
  Term e = var("e");
  Arithmetic known(Facts{eq(a * b, c * d)});
  EXPECT_TRUE(known.entails({eq(b * e, c * d)}, eq(a * b, b * e)));
  EXPECT_TRUE(known.entails({}, eq(a * b * e, c * d * e)));
  EXPECT_FALSE(known.entails({}, eq(a * d, b * c)));  // a = 1, b = 6, c = 2, d = 3
  EXPECT_FALSE(known.entails({}, eq(a * b * b, c * d * e)));
}

TEST(Arithmetic, WhatIsOutOfBoundsIsContradicted) {
  Term a = var("a");
  Term b = var("b");
  Arithmetic known(Facts{ge(a, 1), ge(b, 2)});
  EXPECT_TRUE(known.contradicts({eq(a * b, 1)}));
  EXPECT_TRUE(known.contradicts({ge(b, 0), both(ge(a, 3), le(int_max(a, b), 1))}));
  EXPECT_TRUE(known.contradicts({ge(int_min(a, -1), 0)}));
  EXPECT_FALSE(known.contradicts({eq(a * b, 2)}));
  EXPECT_FALSE(known.contradicts({ge(int_min(a, 1), 1)}));
  EXPECT_FALSE(Arithmetic(Facts{ge(a, 0)}).contradicts({eq(a, 0)}));
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
