// What follows of one list of facts is known again of that list, and of no other one; what was not asked to the end is forgotten.
#include "facts/kept_arithmetic.h"

#include <gtest/gtest.h>

#include "variables.h"

namespace vouch {
namespace {

void ask_and_keep(KeptArithmetic& kept, const Facts& facts, Term goal) {
  auto arithmetic = kept.take(facts);
  (void)arithmetic->entails({}, goal);
  kept.keep(facts, std::move(arithmetic));
}

TEST(KeptArithmetic, IsOfItsFactsAlone) {
  Arithmetic::begin_rule(0);
  Term n = var("n");
  Term m = var("m");
  const Facts positive{ge(n, 1), ge(m, 2)};
  const Facts wider{ge(n, 0), ge(m, 2)};
  const Term goal = ge(n * m, 2);
  KeptArithmetic kept;
  ask_and_keep(kept, positive, goal);
  EXPECT_TRUE(kept.take(positive)->entails({}, goal));
  EXPECT_FALSE(kept.take(wider)->entails({}, goal));  // n = 0
  EXPECT_FALSE(kept.take({ge(m, 2)})->entails({}, goal));
  ask_and_keep(kept, wider, goal);
  EXPECT_TRUE(kept.take(positive)->entails({}, goal));
  EXPECT_FALSE(kept.take(wider)->entails({}, goal));
}

TEST(KeptArithmetic, CountsTheQuestionsOfOneProof) {
  Arithmetic::begin_rule(0);
  Term n = var("n");
  const Facts facts{ge(n, 1), eq(n * n, 2 * n)};
  KeptArithmetic kept;
  auto first = kept.take(facts);
  EXPECT_TRUE(first->entails({ge(n, 2)}, ge(n * n, 4)));
  first->limit(1000);
  ASSERT_TRUE(first->spend());
  kept.keep(facts, std::move(first));
  auto second = kept.take(facts);
  EXPECT_EQ(second->queries(), 0U);
  second->limit(2);
  EXPECT_TRUE(second->spend());
  EXPECT_FALSE(second->spend());
}

TEST(KeptArithmetic, ForgetsWhatALimitLeftOpen) {
  Arithmetic::begin_rule(0);
  Term n = var("n");
  Term m = var("m");
  const Facts facts{ge(n, 1), ge(m, n * n), le(m, 3)};
  const Term goal = le(n, 1);
  KeptArithmetic kept;
  auto hurried = kept.take(facts);
  hurried->limit(0);
  EXPECT_FALSE(hurried->entails({}, goal));
  kept.keep(facts, std::move(hurried));
  EXPECT_TRUE(kept.take(facts)->entails({}, goal));
}

}  // namespace
}  // namespace vouch
