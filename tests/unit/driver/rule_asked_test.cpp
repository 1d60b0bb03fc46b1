#include "driver/rule_asked.h"

#include <gtest/gtest.h>

#include "driver/rule_proofs.h"
#include "rule/parse.h"

namespace vouch {
namespace {

constexpr const char* kSinks =
    "rule sinks {\n  let x = *;\n  let t = Transpose(x) {perm = any};\n  source Neg(t);\n"
    "  target Transpose(Neg(x)) {perm = t.perm};\n}\n";

// What a list says that asks for this, and agrees with itself in everything.
RuleAsked asked(const RuleRecipe& recipe, CoqRule* coq = nullptr) {
  Diagnostics diagnostics;
  auto rules = parse_rules(std::make_shared<Source>("sinks.gsl", kSinks), diagnostics);
  auto proof = rule_proof("sinks", kSinks, recipe, diagnostics);
  if (coq != nullptr) {
    *coq = proof->coq;
  }
  return rule_asked(rules->front(), recipe, proof->coq);
}

TEST(RuleAsked, AllThatCheckAsksOfIsNotLess) {
  CoqRule coq;
  RuleAsked all = asked(RuleRecipe{}, &coq);
  EXPECT_TRUE(coq.complete);
  EXPECT_TRUE(all.fewer.empty());
  EXPECT_TRUE(all.remarks.empty());
}

TEST(RuleAsked, FewerInstancesThanThereAreAreLess) {
  CoqRule coq;
  RuleAsked one = asked({12, 1, 4}, &coq);
  EXPECT_EQ(coq.stated, coq.distinct);  // n/n, of what was looked at
  ASSERT_EQ(one.fewer.size(), 1U);
  EXPECT_EQ(one.fewer[0],
            "of the instances at ranks to 4 the first 1 alone were looked at, and 'vouch check --coq' looks at 4000");
}

TEST(RuleAsked, FewerRanksAreLess) {
  RuleAsked none = asked({12, kMostInstances, 0});
  ASSERT_EQ(none.fewer.size(), 1U);
  EXPECT_EQ(none.fewer[0], "asked of ranks to 0 alone, and 'vouch check --coq' asks of ranks to 4");
}

// The first instances of more ranks need not hold those of fewer.
TEST(RuleAsked, MoreRanksThanCanBeGoneThroughAreLess) {
  CoqRule coq;
  RuleAsked more = asked({12, kMostInstances, 8}, &coq);
  EXPECT_FALSE(coq.complete);
  ASSERT_EQ(more.fewer.size(), 1U);
  EXPECT_EQ(more.fewer[0],
            "of the instances at ranks to 8 the first 4000 alone were looked at; 'vouch check --coq' asks of ranks to 4");
}

TEST(RuleAsked, FewerStatedAreARemark) {
  CoqRule coq;
  RuleAsked few = asked({1, kMostInstances, 4}, &coq);
  EXPECT_TRUE(few.fewer.empty());
  EXPECT_LT(coq.stated, coq.distinct);
  ASSERT_EQ(few.remarks.size(), 1U);
}

}  // namespace
}  // namespace vouch
