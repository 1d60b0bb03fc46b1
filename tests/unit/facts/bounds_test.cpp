// What bounds alone say must hold at every point where the facts do: tried on random facts and goals, at all small points.
#include "facts/bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "term/substitute.h"
#include "variables.h"

namespace vouch {
namespace {

const std::array<const char*, 3> kNames = {"a", "b", "c"};

TEST(LowerBounds, SumsProductsQuotientsAndMaxima) {
  Term a = var("a");
  Term b = var("b");
  Term c = var("c");
  LowerBounds bounds({ge(a, 1), ge(b, 2), ge(c, -3)});
  EXPECT_TRUE(bounds.entails(ge(a * b, 2)));
  EXPECT_FALSE(bounds.entails(ge(a * b, 3)));
  EXPECT_TRUE(bounds.entails(ge(a + c, -2)));
  EXPECT_FALSE(bounds.entails(ge(a * c, -3)));  // a is not bounded above
  EXPECT_TRUE(bounds.entails(ge(floor_div(a, b), 0)));
  EXPECT_FALSE(bounds.entails(ge(floor_div(c, b), 0)));
  EXPECT_FALSE(bounds.entails(ge(floor_div(b, a - 1), 0)));  // by what may be 0, a quotient is anything
  EXPECT_TRUE(bounds.entails(ge(int_max(c, b), 2)));
  EXPECT_FALSE(bounds.entails(ge(int_max(c, b - 9), -2)));
  EXPECT_FALSE(bounds.entails(le(a, 5)));
  EXPECT_TRUE(bounds.entails(either(le(a, 5), ge(b, 1))));
}

TEST(LowerBounds, MinimaAreAtMostTheNumbersInThem) {
  Term a = var("a");
  Term b = var("b");
  LowerBounds bounds({ge(a, 1)});
  EXPECT_TRUE(bounds.entails(le(int_min(a, -1), 0)));
  EXPECT_TRUE(bounds.entails(le(int_min(b, int_min(a, 2)), a + 1)));
  EXPECT_FALSE(bounds.entails(le(int_min(a, 2), 1)));  // a = 2
  EXPECT_FALSE(bounds.entails(le(int_min(a, b), 0)));
  EXPECT_FALSE(bounds.entails(le(b * int_min(b, -1), 0)));  // b = -1
}

TEST(LowerBounds, OuterBoundsHoldAsWell) {
  LowerBounds outer({ge(var("a"), 1)});
  EXPECT_TRUE(LowerBounds({ge(var("b"), 1)}, &outer).entails(ge(var("a") * var("b"), 1)));
  EXPECT_TRUE(LowerBounds({ge(var("a"), -4)}, &outer).entails(ge(var("a"), 1)));
  EXPECT_FALSE(LowerBounds({ge(var("b"), 1)}).entails(ge(var("a") * var("b"), 1)));
}

class RandomTerms {
 public:
  explicit RandomTerms(unsigned seed) : random_(seed) {}

  Term guard() { return le(term(2), term(2)); }
  Term bound() { return ge(var(kNames[pick(3)]), pick(5) - 2); }
  int pick(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }

 private:
  Term term(int depth) {
    if (depth == 0 || pick(4) == 0) {
      return pick(3) == 0 ? Term(pick(5) - 2) : var(kNames[pick(3)]);
    }
    Term a = term(depth - 1);
    Term b = term(depth - 1);
    switch (pick(5)) {
      case 0: return a * b;
      case 1: return int_max(a, b);
      case 3: return int_min(a, b);
      case 2: return floor_div(a, b);
      default: return a + b;
    }
  }

  std::mt19937 random_;
};

// Nothing: a divisor is not positive, of which bounds do not speak.
std::optional<bool> holds(Term guard, const std::array<std::int64_t, 3>& point) {
  Term at = guard;
  for (std::size_t k = 0; k < kNames.size(); ++k) {
    at = substitute(at, Symbol(kNames[k]), Term(point[k]));
  }
  return const_bool(at);
}

TEST(LowerBounds, WhatTheySayIsTrueAtAllSmallPoints) {
  RandomTerms terms(1);
  int said = 0;
  for (int round = 0; round < 4000; ++round) {
    Facts facts;
    for (int k = terms.pick(5); k >= 0; --k) {
      facts.push_back(terms.pick(3) == 0 ? terms.guard() : terms.bound());
    }
    Term goal = terms.guard();
    if (!LowerBounds(facts).entails(goal)) {
      continue;
    }
    ++said;
    for (std::int64_t i = 0; i < 7 * 7 * 7; ++i) {
      std::array<std::int64_t, 3> point = {i % 7 - 3, i / 7 % 7 - 3, i / 49 - 3};
      bool met = std::all_of(facts.begin(), facts.end(), [&](Term fact) { return holds(fact, point).value_or(false); });
      ASSERT_TRUE(!met || holds(goal, point).value_or(true)) << point[0] << " " << point[1] << " " << point[2];
    }
  }
  EXPECT_GT(said, 100);
}

}  // namespace
}  // namespace vouch
