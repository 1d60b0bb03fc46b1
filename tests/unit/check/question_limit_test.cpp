// The number of questions about integers that one proof may ask: where it ends, nothing is claimed, and the reason names it.
#include <gtest/gtest.h>

#include "verdict_of.h"

namespace vouch {
namespace {

// Sizes that agree, and elements in the same order: not settled without asking.
const char* const kAsks =
    "let x = * {rank = 2, dtype = float32}; "
    "source Reshape(Reshape(x, const {value = (x.shape[1], x.shape[0])}), const {value = (x.shape[0], -1)}); target x;";
const char* const kIsFalse =
    "let x = * {rank = 2, dtype = float32}; "
    "source Reshape(Transpose(x) {perm = (1, 0)}, const {value = x.shape}); target x;";

RuleVerdict limited(const std::string& items, std::size_t questions) {
  CheckOptions options;
  options.prove.questions = questions;
  options.refute = false;
  return check_rule(rule_of(items), options);
}

TEST(QuestionLimit, EndsAProofWithoutAClaim) {
  RuleVerdict whole = limited(kAsks, CheckOptions().prove.questions);
  ASSERT_TRUE(is_sound(whole.verdict)) << whole.reason;
  std::size_t ended = 0;
  for (std::size_t questions = 0; questions < 200; ++questions) {
    RuleVerdict verdict = limited(kAsks, questions);
    const bool given_up = verdict.verdict == Verdict::Unknown;
    ASSERT_TRUE(given_up || verdict.verdict == whole.verdict) << questions;
    EXPECT_TRUE(!given_up || verdict.reason.find("questions about integers") != std::string::npos) << verdict.reason;
    ended += given_up ? 1 : 0;
  }
  EXPECT_GT(ended, 0U);
  EXPECT_EQ(limited(kAsks, ended - 1).reason, "more than " + std::to_string(ended - 1) + " questions about integers");
}

TEST(QuestionLimit, MakesNothingSound) {
  for (std::size_t questions = 0; questions < 100; ++questions) {
    EXPECT_EQ(limited(kIsFalse, questions).verdict, Verdict::Unknown) << questions;
  }
}

}  // namespace
}  // namespace vouch
