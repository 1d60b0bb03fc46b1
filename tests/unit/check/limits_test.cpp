// Rules whose proofs grow with the square of what an element is made of: each is given up by a limit that the reason names.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "verdict_of.h"

namespace vouch {
namespace {

const char* const kTwoResizes =
    "let x = * {rank = 2, dtype = float32}; let s = const {value = (2, 2), dtype = float32};\n"
    "let a = Resize(x, _, s) {mode = \"linear\", coordinate_transformation_mode = \"half_pixel\", nearest_mode = _, antialias = "
    "0, "
    "exclude_outside = 0, keep_aspect_ratio_policy = \"stretch\", extrapolation_value = 0, cubic_coeff_a = -0.75, axes = _};\n"
    "let r = Resize(a, _, s) {* as a};\n";

RuleVerdict proven_of(const std::string& items) {
  CheckOptions alone;
  alone.refute = false;
  return check_rule(rule_of(items), alone);
}

// It is true: an interpolation of each axis is what its transpose has on the other one.
TEST(Limits, EndAProofOfVeryManySummands) {
  RuleVerdict turned = proven_of(std::string(kTwoResizes) +
                                 "source Transpose(r) {perm = (1, 0)}; "
                                 "target Resize(Resize(Transpose(x) {perm = (1, 0)}, _, s) {* as a}, _, s) {* as a};");
  EXPECT_EQ(turned.verdict, Verdict::Unknown);
  EXPECT_NE(turned.reason.find("questions about integers"), std::string::npos) << turned.reason;
}

// One after the other along two axes, in either order: few summands.
TEST(Limits, AreFarFromWhatIsProven) {
  const std::string one =
      "let x = * {rank = 2, dtype = float32}; let s = const {value = (2, 1), dtype = float32}; "
      "let t = const {value = (1, 2), dtype = float32}; let a = Resize(x, _, s) {mode = \"linear\", "
      "coordinate_transformation_mode = \"half_pixel\", nearest_mode = _, antialias = 0, exclude_outside = 0, "
      "keep_aspect_ratio_policy = \"stretch\", extrapolation_value = 0, cubic_coeff_a = -0.75, axes = _};";
  RuleVerdict apart = proven_of(one + "source Resize(a, _, t) {* as a}; target Resize(Resize(x, _, t) {* as a}, _, s) {* as a};");
  EXPECT_TRUE(is_sound(apart.verdict)) << apart.reason;
}

// Instances of ranks to six are more than are gone through; of each type of a base there is one of an exponent.
const char* const kPowers =
    "let x = *; let y = *; rank x 1..6; rank y 1..6; let s = pow_6(x, y) {axis = any};\n"
    "attr axis = if (s.axis < 0) s.axis + x.rank else s.axis; source s;\n"
    "target Pow(x, Unsqueeze(y, const {value = tuple[j < x.rank - y.rank - axis](y.rank + j)}));";

bool is_of_ranks_to(const Scope& scope, std::size_t most) {
  return std::all_of(scope.nodes.begin(), scope.nodes.end(), [&](const ScopeNode& node) {
    return node.kind != ScopeNode::Kind::Input || node.types[0].extents.size() <= most;
  });
}

std::size_t instances_to_rank(const Rule& rule, std::uint32_t rank, std::size_t most) {
  InstanceOptions options;
  options.max_rank = std::min(options.max_rank, rank);
  options.claimed_rank = rank;
  options.most = most;
  return count_instances(rule, options);
}

TEST(Limits, TooManyInstancesLeaveTheRanksThatAreFewEnough) {
  CheckOptions alone;
  alone.refute = false;
  Rule rule = rule_of(kPowers);
  ASSERT_LT(instances_to_rank(rule, 5, alone.most_instances), alone.most_instances);
  ASSERT_EQ(instances_to_rank(rule, 6, alone.most_instances), alone.most_instances);
  RuleVerdict verdict = check_rule(rule, alone);
  EXPECT_EQ(verdict.verdict, Verdict::SoundExact) << verdict.reason;
  EXPECT_EQ(verdict.bounds, (std::set<std::string>{"x to rank 5 of 6", "y to rank 5 of 6"}));
  EXPECT_FALSE(verdict.scopes.empty());
  EXPECT_TRUE(std::all_of(verdict.scopes.begin(), verdict.scopes.end(), [](const Scope& s) { return is_of_ranks_to(s, 5); }));
  // Gone through and counted to the limit, counted at fewer ranks, and proven.
  EXPECT_LE(verdict.tried, 5 * alone.most_instances);
}

TEST(Limits, TooManyInstancesOfTheFewestRanksAreSaidAtOnce) {
  CheckOptions few;
  few.refute = false;
  few.most_instances = 20;
  RuleVerdict verdict = check_rule(rule_of(kPowers), few);
  EXPECT_EQ(verdict.verdict, Verdict::Unknown);
  EXPECT_EQ(verdict.reason, "more than 20 instances at ranks to 4: 20 of them were proven, the others not tried");
  EXPECT_TRUE(verdict.scopes.empty());
  EXPECT_LE(verdict.tried, 2 * few.most_instances);
}

}  // namespace
}  // namespace vouch
