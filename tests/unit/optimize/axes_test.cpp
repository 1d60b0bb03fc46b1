// Roles of axes: a rule is proven for each number of axes of each role, and fires with the numbers that were proven.
#include "rule/axes.h"

#include <set>

#include "check/check.h"
#include "refute/mutate.h"
#include "rule/scope_bytes.h"
#include "site.h"

namespace vouch {
namespace {

// The axes b stay, k is moved in front of m and summed.
const char* const kSumOfTransposed =
    "rule sum_of_transposed { let x = * {dtype = float32}; axes x = (b, m, k 1..);"
    " let t = Transpose(x) {perm = x.b ++ x.k ++ x.m}; axes t = (b, k, m);"
    " source reduce_sum(t) {axes = t.k, keepdims = 0}; target reduce_sum(x) {axes = x.k, keepdims = 0}; }";
const char* const kRotation =
    "rule rotation { let x = *; axes x = (a, b); let t = Transpose(x) {perm = x.b ++ x.a}; axes t = (b, a);"
    " source Transpose(t) {perm = t.a ++ t.b}; target x; }";

AttrValue tuple_of(const std::vector<std::int64_t>& items) {
  AttrTuple out;
  for (std::int64_t item : items) {
    out.emplace_back(item);
  }
  return AttrValue(std::move(out));
}

AttrDict permutation_of(const std::vector<std::int64_t>& axes) {
  return AttrDict(std::vector<AttrDict::Entry>{{Symbol("perm"), tuple_of(axes)}});
}

AttrDict summing(const std::vector<std::int64_t>& axes) {
  return AttrDict(std::vector<AttrDict::Entry>{{Symbol("axes"), tuple_of(axes)}, {Symbol("keepdims"), AttrValue(0)}});
}

RuleVerdict verdict_of(const std::string& text) { return check_rule(rules_of(text).at(0), {}); }

struct Twin {
  const char* name;
  const char* true_one;
  const char* false_one;
};

class AxesTwins : public ::testing::TestWithParam<Twin> {};

TEST_P(AxesTwins, OneIsProvenTheOtherRefuted) {
  auto rule = [](const char* items) { return "rule r {" + std::string(items) + "}"; };
  RuleVerdict proven = verdict_of(rule(GetParam().true_one));
  EXPECT_TRUE(is_sound(proven.verdict)) << proven.instance << ": " << proven.reason;
  EXPECT_EQ(verdict_of(rule(GetParam().false_one)).verdict, Verdict::Unsound);
}

const Twin kTwins[] = {
    {"SumsOfSums",
     "let x = * {dtype = float32}; axes x = (b, m 1.., k 1..);"
     " source reduce_sum(reduce_sum(x) {axes = x.k, keepdims = 0}) {axes = x.m, keepdims = 0};"
     " target reduce_sum(x) {axes = x.m ++ x.k, keepdims = 0};",
     "let x = * {dtype = float32}; axes x = (b 1.., m 1.., k 1..);"
     " source reduce_sum(reduce_sum(x) {axes = x.m, keepdims = 0}) {axes = x.b, keepdims = 0};"
     " target reduce_sum(x) {axes = x.b ++ x.k, keepdims = 0};"},
    {"SumsOfTransposed",
     "let x = * {dtype = float32}; axes x = (b, m, k 1..);"
     " let t = Transpose(x) {perm = x.b ++ x.k ++ x.m}; axes t = (b, k, m);"
     " source reduce_sum(t) {axes = t.k, keepdims = 0}; target reduce_sum(x) {axes = x.k, keepdims = 0};",
     "let x = * {dtype = float32}; axes x = (b, m 1, k 1);"
     " let t = Transpose(x) {perm = x.b ++ x.k ++ x.m}; axes t = (b, k, m); where x.shape[len(x.b)] == x.shape[len(x.b) + 1];"
     " source reduce_sum(t) {axes = t.k, keepdims = 0}; target reduce_sum(x) {axes = x.m, keepdims = 0};"},
    {"Rotations",
     "let x = *; axes x = (a, b, c); let t = Transpose(x) {perm = x.b ++ x.c ++ x.a}; axes t = (b, c, a);"
     " source Transpose(t) {perm = t.c ++ t.a ++ t.b}; target Transpose(x) {perm = x.c ++ x.a ++ x.b};",
     "let x = *; axes x = (a 1, b 1, c 1); let t = Transpose(x) {perm = x.b ++ x.c ++ x.a}; axes t = (b, c, a);"
     " where all[k < 3](x.shape[k] == x.shape[0]); source Transpose(t) {perm = t.c ++ t.a ++ t.b}; target x;"},
    {"SumsOfWhatWasJoined",
     "let x = * {dtype = float32}; axes x = (b, k 1..);"
     " let s = const {value = permute(x.shape, x.b) ++ (product[i < len(x.k)](x.shape[x.k[i]]),), dtype = int64};"
     " source reduce_sum(Reshape(x, s) {allowzero = 1}) {axes = (len(x.b),), keepdims = 0};"
     " target reduce_sum(x) {axes = x.k, keepdims = 0};",
     "let x = * {dtype = float32}; axes x = (b 1, k 1..2); where x.shape[0] == product[i < len(x.k)](x.shape[x.k[i]]);"
     " let s = const {value = permute(x.shape, x.b) ++ (product[i < len(x.k)](x.shape[x.k[i]]),), dtype = int64};"
     " source reduce_sum(Reshape(x, s) {allowzero = 1}) {axes = (0,), keepdims = 0};"
     " target reduce_sum(x) {axes = x.k, keepdims = 0};"},
};

INSTANTIATE_TEST_SUITE_P(Axes, AxesTwins, ::testing::ValuesIn(kTwins),
                         [](const ::testing::TestParamInfo<Twin>& twin) { return std::string(twin.param.name); });

TEST(Axes, TheVerdictSaysHowMany) {
  RuleVerdict verdict = verdict_of(kSumOfTransposed);
  ASSERT_TRUE(is_sound(verdict.verdict)) << verdict.reason;
  EXPECT_EQ(verdict.bounds, (std::set<std::string>{"roles to 4 axes", "b 0..3 axes", "k 1..4 axes", "m 0..3 axes"}));
  RuleVerdict closed = verdict_of(
      "rule r { let x = *; axes x = (a 2..3, b 2); let t = Transpose(x) {perm = x.b ++ x.a}; axes t = (b, a);"
      " source Transpose(t) {perm = t.a ++ t.b}; target x; }");
  ASSERT_TRUE(is_sound(closed.verdict)) << closed.reason;
  EXPECT_EQ(closed.bounds, (std::set<std::string>{"a 2..3 axes", "b 2 axes"}));
}

// Every division of up to four axes that is as the rule says, and none that is not.
TEST(Axes, FireWhereTheyDivideTheAxes) {
  const std::vector<std::int64_t> sizes{2, 3, 4, 5};
  for (std::size_t rank = 1; rank <= 4; ++rank) {
    for (std::size_t b = 0; b < rank; ++b) {
      for (std::size_t k = 1; b + k <= rank; ++k) {
        std::vector<std::int64_t> order;
        for (std::size_t axis = 0; axis < rank; ++axis) {
          order.push_back(static_cast<std::int64_t>(axis < b ? axis : axis < b + k ? rank - k + axis - b : axis - k));
        }
        for (std::size_t shifted : {0U, 1U}) {
          std::vector<std::int64_t> summed;
          for (std::size_t axis = 0; axis < k; ++axis) {
            summed.push_back(static_cast<std::int64_t>(b + axis + shifted));
          }
          if (b + k + shifted > rank) {
            continue;
          }
          Site site;
          Extents extents(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(rank));
          NodeId t = site.call("Transpose", {site.input(extents)}, permutation_of(order));
          // A sum that begins one axis further on is over axes of m, too, which no division allows.
          EXPECT_EQ(site.fires(kSumOfTransposed, site.call("reduce_sum", {t}, summing(summed))), shifted == 0 ? 1U : 0U)
              << rank << " axes, " << b << ", " << k << ", " << shifted;
        }
      }
    }
  }
}

// Which axes a sum is over does not depend on their order, nor on the end from which they are counted; what a permutation is
// does.
TEST(Axes, AreNamedInAnyOrder) {
  const std::string of_list =
      "rule r { let x = * {dtype = float32}; axes x = (b, m, k 1..);"
      " let t = Transpose(x) {perm = x.b ++ x.k ++ x.m}; axes t = (b, k, m);"
      " source ReduceSum(t, const {value = t.k}) {keepdims = 0, noop_with_empty_axes = 0};"
      " target ReduceSum(x, const {value = x.k}) {keepdims = 0}; }";
  struct Case {
    std::vector<std::int64_t> summed;
    bool same;
  };
  for (const auto& [summed, same] : std::vector<Case>{
           {{1, 2}, true}, {{2, 1}, true}, {{-2, -3}, true}, {{1, -2}, true}, {{1, 3}, false}, {{1}, false}, {{-1, -2}, false}}) {
    Site attribute;
    NodeId t = attribute.call("Transpose", {attribute.input({2, 3, 4, 5})}, permutation_of({0, 2, 3, 1}));
    EXPECT_EQ(attribute.fires(kSumOfTransposed, attribute.call("reduce_sum", {t}, summing(summed))), same ? 1U : 0U) << summed[0];
    Site list;
    NodeId u = list.call("Transpose", {list.input({2, 3, 4, 5})}, permutation_of({0, 2, 3, 1}));
    AttrDict flags(std::vector<AttrDict::Entry>{{Symbol("keepdims"), AttrValue(0)}});
    EXPECT_EQ(list.fires(of_list, list.call("ReduceSum", {u, list.list(summed)}, flags)), same ? 1U : 0U) << summed[0];
  }
  for (const std::vector<std::int64_t>& order : {std::vector<std::int64_t>{2, 0, 1}, {2, 1, 0}}) {
    Site site;
    NodeId t = site.call("Transpose", {site.input({3, 3, 3})}, permutation_of(order));
    NodeId back = site.call("Transpose", {t}, permutation_of({1, 2, 0}));
    EXPECT_EQ(site.fires(kRotation, back), order[1] == 0 ? 1U : 0U);
  }
}

TEST(Axes, NoMoreThanWereProven) {
  for (std::size_t rank : {4U, 5U}) {
    Site site;
    std::vector<std::int64_t> there{2, 3, 0, 1};
    std::vector<std::int64_t> back{2, 3, 0, 1};
    if (rank == 5) {
      there = {2, 3, 4, 0, 1};
      back = {3, 4, 0, 1, 2};
    }
    NodeId t = site.call("Transpose", {site.input(Extents(rank, 2))}, permutation_of(there));
    EXPECT_EQ(site.fires(kRotation, site.call("Transpose", {t}, permutation_of(back))), rank == 4 ? 1U : 0U);
    EXPECT_EQ(site.reason.empty(), rank == 4) << site.reason;
  }
}

// The scopes of some numbers let the rule fire with these alone, whatever the matcher finds.
TEST(Axes, TheScopeHoldsTheNumbers) {
  std::vector<Rule> rules = rules_of(kRotation);
  std::vector<Scope> all = check_rule(rules[0], {}).scopes;
  ASSERT_FALSE(all.empty());
  std::vector<Scope> even;
  std::copy_if(all.begin(), all.end(), std::back_inserter(even), [](const Scope& scope) {
    return scope.axis_numbers == AxisNumbers{2, 2};
  });
  ASSERT_FALSE(even.empty());
  EXPECT_LT(even.size(), all.size());
  auto kept = read_scope_bytes(scope_bytes(even));
  ASSERT_TRUE(kept.has_value());
  EXPECT_TRUE(*kept == even);
  Admission admission = Admission::by_scopes(std::make_shared<const std::vector<Scope>>(*kept), {});
  auto admissions = [&](std::size_t) -> Admission& { return admission; };
  Site site;  // one after the other: what is remembered of one number is not said of another
  auto turned = [&](const std::vector<std::int64_t>& there, const std::vector<std::int64_t>& back) {
    return site.call("Transpose", {site.call("Transpose", {site.input({2, 2, 2, 2})}, permutation_of(there))},
                     permutation_of(back));
  };
  NodeId evenly = turned({2, 3, 0, 1}, {2, 3, 0, 1});
  NodeId unevenly = turned({1, 2, 3, 0}, {3, 0, 1, 2});
  site.graph.add_output("y", evenly);
  site.graph.add_output("z", unevenly);
  RewriteResult result = rewrite(site.graph, rules, {.admissions = admissions});
  EXPECT_EQ(result.steps, 1U);
  ASSERT_EQ(result.refusals.size(), 1U);
  EXPECT_EQ(result.refusals[0].reason, "it is not proven for as many axes: a 1, b 3");
  EXPECT_EQ(site.graph.kind(site.graph.outputs()[0].node), NodeKind::Input);
  EXPECT_EQ(site.graph.kind(site.graph.outputs()[1].node), NodeKind::Call);
}

// Where nothing that is matched shows the numbers, they decide what is written all the same: the first ones are meant, and no
// others that were proven stand for them.
TEST(Axes, NumbersThatNothingShowsAreCompared) {
  std::vector<Rule> rules = rules_of(
      "rule r { let x = *; axes x = (a, b); source Identity(Identity(x));"
      " target Transpose(Transpose(x) {perm = x.b ++ x.a}) {perm = tuple[i < len(x.a)](len(x.b) + i) ++ tuple[i < len(x.b)](i)}; "
      "}");
  std::vector<Scope> all = check_rule(rules[0], {}).scopes;
  for (const AxisNumbers& numbers : {AxisNumbers{0, 2}, AxisNumbers{1, 1}}) {
    std::vector<Scope> some;
    std::copy_if(all.begin(), all.end(), std::back_inserter(some),
                 [&](const Scope& scope) { return scope.axis_numbers == numbers; });
    ASSERT_FALSE(some.empty());
    Admission admission = Admission::by_scopes(std::make_shared<const std::vector<Scope>>(some), {});
    auto admissions = [&](std::size_t) -> Admission& { return admission; };
    Site site;
    site.graph.add_output("y", site.call("Identity", {site.call("Identity", {site.input({2, 3})})}));
    EXPECT_EQ(rewrite(site.graph, rules, {.admissions = admissions}).steps, numbers[0] == 0 ? 1U : 0U);
  }
}

// Another group of axes than was meant: most of these neighbours are false, and none of those that differ is called sound.
TEST(Axes, NeighboursWithAnotherRoleAreRefuted) {
  std::size_t refuted = 0;
  for (const Mutant& mutant : mutants(rules_of(kSumOfTransposed).at(0))) {
    if (mutant.what.find("with the axes of") != std::string::npos) {
      refuted += is_sound(check_rule(mutant.rule, {}).verdict) ? 0 : 1;
    }
  }
  EXPECT_EQ(refuted, 2U);
}

}  // namespace
}  // namespace vouch
