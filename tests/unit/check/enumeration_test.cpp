// Going back past choices that cannot mend an ill-typed call must not go past one that can: the wrong rules here are wrong only
// where an earlier attempt was ill-typed.
#include <gtest/gtest.h>

#include "check/check.h"
#include "rule_of.h"
#include "shipped_rules.h"

namespace vouch {
namespace {

std::vector<std::string> labels(const Rule& rule, std::uint32_t max_rank) {
  std::vector<std::string> out;
  InstanceOptions options;
  options.max_rank = max_rank;
  options.compose = false;
  for_each_instance(rule, options, [&](const Instance& instance) {
    out.push_back(instance.label);
    return true;
  });
  return out;
}

// What the first alternative makes ill-typed, the second does not.
TEST(Enumeration, TriesTheOtherAlternative) {
  Rule rule = rule_of("let x = *; let w = *; let b = Cast(x) {to = \"bool\"}; let z = first(b, x); source z + w; target z - w;");
  EXPECT_EQ(check_rule(rule, {}).verdict, Verdict::Unsound);
}

// Sums of truth values are ill-typed, conjunctions are not.
TEST(Enumeration, TriesTheOtherOperators) {
  Rule rule = rule_of(
      "operator f elementwise; let x = * {dtype = \"bool\"}; let y = * {dtype = \"bool\"}; source f(x, y); target Not(f(x, y));");
  EXPECT_EQ(check_rule(rule, {}).verdict, Verdict::Unsound);
}

// No axis of a scalar is in range; those of what comes before and after are.
TEST(Enumeration, TriesEveryAxisOfEveryRank) {
  Rule rule = rule_of("let x = *; let y = *; let s = Softmax(x) {axis = any}; source s + y; target s + y;");
  // Of x: ranks 1 and 2 with 2 and 4 axes; y: ranks 0 to 2, of the element type of x, which is a wide or a narrow float.
  EXPECT_EQ(labels(rule, 2).size(), (2U + 4U) * 3U * 2U);
}

// Operands of which the later ones decide first: none of the legal combinations is passed over.
TEST(Enumeration, FindsEveryLegalCombination) {
  Rule rule = rule_of(
      "let x = *; let scale = *; let bias = *; let mean = *; let variance = *; "
      "let n = batch_norm(x, scale, bias, mean, variance) {axis = any}; source n[0]; target n[0];");
  // Rank r of x has 2 r axes, `center` and `scale` are flags; all else is a vector, and all are floats, wide or narrow.
  EXPECT_EQ(labels(rule, 3).size(), (2U + 4U + 6U) * 4U * 2U);
}

// Items of a tuple of which the first ones decide that a call is ill-typed: none of the legal combinations is passed over, nor
// the wrong one among them.
TEST(Enumeration, FindsEveryLegalTuple) {
  Rule rule = rule_of("let x = *; let y = *; let z = *; let c = Concat((x, y, z)) {axis = any}; source c; target c;");
  Rule alone = rule_of("let x = *; let c = Concat((x,)) {axis = any}; source c; target c;");
  // Rank r has 2 r axes; all items have one type, for which one stands.
  EXPECT_EQ(labels(alone, 2).size(), 2U + 4U);
  EXPECT_EQ(labels(rule, 2).size(), 2U + 4U);
  Rule later = rule_of(
      "let x = * {dtype = \"bool\"}; let y = *; let z = * {rank = 1}; let w = *; where x.rank == 1 or w.rank == 1; "
      "source Concat((x, y, z, w)) {axis = 0}; target Concat((x, y, w, z)) {axis = 0};");
  EXPECT_EQ(labels(later, 2).size(), 1U);
  EXPECT_EQ(check_rule(later, {}).verdict, Verdict::Unsound);
}

// What the last item of a tuple is typed by, its second option mends.
TEST(Enumeration, GoesBackToTheItemThatMends) {
  Rule rule = rule_of(
      "let x = *; let y = *; let f = Cast(x) {to = \"bool\"}; let z = first(f, x); let u = Concat((z, y)) {axis = 0}; "
      "where y.dtype == \"float32\" and x.dtype == \"float32\" and x.rank == 1; source u; target Concat((y, z)) {axis = 0};");
  EXPECT_EQ(check_rule(rule, {}).verdict, Verdict::Unsound);
}

// What a condition says of one choice for an input, or of choices for two, is remembered: of these choices, and of no others.
TEST(Enumeration, KeepsWhatAConditionLeaves) {
  Rule lists = rule_of(
      "let x = *; let a = const {value = any}; let b = const {value = any}; "
      "where len(a.value) == 1 and len(b.value) == 1 and a.value[0] >= 0 and b.value[0] >= a.value[0]; "
      "source Squeeze(Squeeze(x, a), b); target Squeeze(Squeeze(x, a), b);");
  // a <= b < r - 1 for an x of rank r = 2, 3, 4.
  EXPECT_EQ(labels(lists, 4).size(), 1U + 3U + 6U);
  Rule ranks = rule_of(
      "let x = * {dtype = \"float32\"}; let y = * {dtype = \"float32\"}; "
      "where y.rank + 1 == x.rank and x.rank != 2; source x + y; target x + y;");
  // (1, 0) and (3, 2).
  EXPECT_EQ(labels(ranks, 3).size(), 2U);
}

// Ranks of which there are too many instances are left out, and the verdict says so; if the least ranks are too many, nothing is
// called sound.
TEST(Enumeration, TooManyInstancesAreOfFewerRanks) {
  Rule rule = rule_of("let x = *; let y = *; where x.rank >= 0; source x + y; target y + x;");
  std::size_t all = labels(rule, 2).size();
  CheckOptions options;
  options.refute = false;
  options.most_instances = all + 1;
  RuleVerdict some = check_rule(rule, options);
  EXPECT_TRUE(is_sound(some.verdict));
  EXPECT_EQ(some.max_rank, 2U);
  EXPECT_EQ(some.instances, all);
  options.most_instances = all;
  RuleVerdict none = check_rule(rule, options);
  EXPECT_EQ(none.verdict, Verdict::Unknown);
  EXPECT_NE(none.reason.find("instances"), std::string::npos) << none.reason;
  EXPECT_TRUE(none.scopes.empty());
}

// Counting passes over none, and makes none up.
TEST(Enumeration, CountsWhatItVisits) {
  for (const Rule& rule : some_shipped_rules()) {
    InstanceOptions options;
    options.max_rank = 2;
    EXPECT_EQ(count_instances(rule, options), labels(rule, 2).size()) << rule.name;
  }
}

// What calls compute is remembered: with the lists that they are given, of which types and sizes do not speak.
TEST(Enumeration, ListsTellCallsApart) {
  auto slices = [](const std::string& target) {
    return rule_of("let x = *; let a = const {value = (0,)}; let b = const {value = (1,)}; where x.rank == 1; " +
                   std::string("where x.shape[0] >= 2; ") + target);
  };
  Rule other =
      slices("let c = const {value = (2,)}; source Slice(x, a, b) + Slice(x, b, c); target Slice(x, a, b) + Slice(x, a, b);");
  Rule same =
      slices("let c = const {value = (2,)}; source Slice(x, a, b) + Slice(x, b, c); target Slice(x, b, c) + Slice(x, a, b);");
  EXPECT_EQ(check_rule(other, {}).verdict, Verdict::Unsound);
  EXPECT_EQ(check_rule(same, {}).verdict, Verdict::SoundExact);
}

// As above, with so many that they are counted before they are proven.
TEST(Enumeration, CountedBeforeTheyAreProven) {
  Rule rule =
      rule_of("let x = *; let s = const {value = any}; let y = Relu(x); source Reshape(Relu(y), s); target Relu(Reshape(y, s));");
  std::size_t of_two = labels(rule, 2).size();
  std::size_t of_four = labels(rule, 4).size();
  ASSERT_GT(of_four, 500U);
  CheckOptions options;
  options.refute = false;
  options.most_instances = of_four;
  RuleVerdict some = check_rule(rule, options);
  EXPECT_LT(some.max_rank, 4U);
  EXPECT_TRUE(is_sound(some.verdict));
  EXPECT_GE(some.instances, of_two);
  options.most_instances = of_four + 1;
  RuleVerdict every = check_rule(rule, options);
  EXPECT_EQ(every.max_rank, 4U);
  EXPECT_EQ(every.instances, of_four);
}

}  // namespace
}  // namespace vouch
