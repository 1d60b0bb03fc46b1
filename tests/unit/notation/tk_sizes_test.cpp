// What is claimed of sizes for all their values holds of small ones; instances of kernels satisfy their conditions.
#include "notation/tk_sizes.h"

#include <gtest/gtest.h>

#include <random>

#include "../kernel/kernel_text.h"
#include "notation/tk_instance.h"
#include "term/eval.h"

namespace vouch {
namespace {

using testing::parsed;

const Symbol kN("n");
const Symbol kM("m");

std::int64_t value_at(Term term, std::int64_t n, std::int64_t m) {
  EvalEnvironment environment;
  environment.integers = {{kN, n}, {kM, m}};
  auto value = eval_int(term, environment);
  return *int64_of(std::get<Integer>(value));
}

TEST(SizeFacts, WhatIsPlainlyNonNegative) {
  SizeFacts facts{{kN, kM}, {parsed("n - m")}};
  for (const char* text :
       {"0", "n - 1", "n * m - 1", "n + m - 2", "n - m", "2 * n - m - 1", "n // 2", "n - n // 2", "(n + 1) // 2", "n % 3"}) {
    EXPECT_TRUE(nonnegative(parsed(text), facts)) << text;
  }
  for (const char* text : {"-1", "n - 2", "m - n", "n - m - 1", "n // 2 - 1", "n * m - 2", "k", "n - 2 * m"}) {
    EXPECT_FALSE(nonnegative(parsed(text), facts)) << text;
  }
}

// From 0 on, less is known.
TEST(SizeFacts, WhatIsPlainlyNonNegativeFromZeroOn) {
  SizeFacts facts{{kN, kM}, {parsed("n - m")}};
  for (const char* text : {"0", "n", "n * m", "n + m", "n - m", "2 * n - m", "n // 2", "n - n // 2", "n % 3"}) {
    EXPECT_TRUE(nonnegative(parsed(text), facts, 0)) << text;
  }
  for (const char* text : {"n - 1", "n * m - 1", "n + m - 1", "2 * n - m - 1", "n - m - 1"}) {
    EXPECT_FALSE(nonnegative(parsed(text), facts, 0)) << text;
  }
}

// Random terms: what is claimed is tried at all sizes up to 7 that meet the conditions.
class Claims : public ::testing::TestWithParam<int> {};

TEST_P(Claims, HoldOfAllSmallSizes) {
  const int least = GetParam();
  std::mt19937 random(7);
  auto pick = [&](std::int64_t low, std::int64_t high) { return std::uniform_int_distribution<std::int64_t>(low, high)(random); };
  auto any_term = [&] {
    Term n = int_var(kN);
    Term m = int_var(kM);
    Term sum = Term(pick(-3, 3)) * n + Term(pick(-3, 3)) * m + Term(pick(-1, 1)) * n * m + Term(pick(-4, 4));
    Term inner = Term(pick(0, 2)) * n + Term(pick(-1, 2)) * m + Term(pick(-3, 3));
    switch (pick(0, 3)) {
      case 0: return sum + floor_div(inner, pick(2, 4));
      case 1: return sum - floor_div(inner, pick(2, 4));
      case 2: return sum + Term(pick(-1, 1)) * floor_mod(inner, pick(2, 4));
      default: return sum;
    }
  };
  int claimed = 0;
  constexpr int kCases = 20000;
  for (int k = 0; k < kCases; ++k) {
    SizeFacts facts{{kN, kM}, {}};
    std::vector<Term> conditions;
    for (std::int64_t c = pick(0, 2); c > 0; --c) {
      conditions.push_back(any_term());
      facts.assume(conditions.back(), least);
    }
    Term goal = any_term();
    if (!nonnegative(goal, facts, least)) {
      continue;
    }
    ++claimed;
    for (std::int64_t n = least; n <= 7; ++n) {
      for (std::int64_t m = least; m <= 7; ++m) {
        bool legal = std::all_of(conditions.begin(), conditions.end(), [&](Term c) { return value_at(c, n, m) >= 0; });
        ASSERT_TRUE(!legal || value_at(goal, n, m) >= 0) << "case " << k << ", n = " << n << ", m = " << m;
      }
    }
  }
  EXPECT_GT(claimed, kCases / 50);
}

INSTANTIATE_TEST_SUITE_P(SizeFacts, Claims, ::testing::Values(0, 1));

TEST(SizeFacts, SizesThatAreAtLeastANumber) {
  SizeFacts facts{{kN, kM}, {parsed("n - 8"), parsed("n + m - 20")}};
  for (const char* text : {"n - 8", "n - 7", "2 * n - 16", "n // 2 - 4", "n + m - 9", "n + m - 20"}) {
    EXPECT_TRUE(nonnegative(parsed(text), facts)) << text;
  }
  for (const char* text : {"n - 9", "m - 2", "n // 2 - 5", "n + m - 21", "n * m - 9"}) {
    EXPECT_FALSE(nonnegative(parsed(text), facts)) << text;
  }
}

TEST(SizeFacts, OneQuotientSaysTheSign) {
  auto found = one_quotient(parsed("n // 3 - m + 1"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->whole, parsed("n - 3 * m + 3"));
  EXPECT_EQ(found->divisor, 3);
  EXPECT_FALSE(one_quotient(parsed("n // 3 + m // 2")));
  EXPECT_FALSE(one_quotient(parsed("2 * (n // 3)")));
  EXPECT_FALSE(one_quotient(parsed("n // m")));
  EXPECT_FALSE(one_quotient(parsed("n - m")));
}

TEST(SizeInstances, SatisfyTheConditionsAndDiffer) {
  SizeFacts facts{{kN, kM}, {}};
  facts.assume(parsed("n - 2 * m"));
  std::vector<SizeInstance> found = small_instances(facts, 5);
  ASSERT_EQ(found.size(), 5U);
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_GE(found[k].at(kM), 1);
    EXPECT_GE(found[k].at(kN), 2 * found[k].at(kM));
    EXPECT_EQ(std::count(found.begin(), found.end(), found[k]), 1);
  }
  EXPECT_EQ(small_instances(SizeFacts{}, 5).size(), 1U);
}

}  // namespace
}  // namespace vouch
