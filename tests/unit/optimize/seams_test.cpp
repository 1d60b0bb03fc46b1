// What is proven and what fires. Where a rule is wrong is worked out by hand; nothing here comes from the checker's enumeration.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <utility>

#include "site.h"

namespace vouch {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void expect_none_sound(const std::string& file, const CheckOptions& options = {}) {
  std::vector<Rule> rules = rules_of(text_of(VOUCH_ROOT "/tests/unit/optimize/" + file));
  ASSERT_FALSE(rules.empty());
  for (const Rule& rule : rules) {
    RuleVerdict verdict = check_rule(rule, options);
    EXPECT_FALSE(is_sound(verdict.verdict)) << rule.name;
    EXPECT_NE(verdict.verdict, Verdict::Vacuous) << rule.name << ": " << verdict.reason;
  }
}

// With the refuter, and by the prover alone.
void expect_none_proven(const std::string& file) {
  expect_none_sound(file);
  CheckOptions alone;
  alone.refute = false;
  expect_none_sound(file, alone);
}

TEST(Seams, NoFalseRuleIsCalledSound) { expect_none_sound("seams.gsl"); }

TEST(Seams, NoFalseRuleOfTypesAndRanksIsCalledSound) { expect_none_sound("type_seams.gsl"); }

TEST(Seams, NoFalseRuleOfQuantisedNumbersIsCalledSound) { expect_none_sound("quantised_seams.gsl"); }

TEST(Seams, NoFalseRuleOfEmptyTensorsIsCalledSound) { expect_none_proven("empty_seams.gsl"); }

TEST(Seams, NoFalseRuleOfElementsIsCalledSound) { expect_none_proven("element_seams.gsl"); }

TEST(Seams, NoFalseRuleOfGrowthIsCalledSound) { expect_none_proven("growth_seams.gsl"); }

TEST(Seams, NoFalseRuleOfPowersIsCalledSound) { expect_none_proven("power_seams.gsl"); }

TEST(Seams, NoFalseRuleOfLogarithmsIsCalledSound) { expect_none_proven("log_seams.gsl"); }

TEST(Seams, NoFalseRuleOfOperandsIsCalledSound) { expect_none_proven("operand_seams.gsl"); }

TEST(Seams, NoFalseRuleOfAlternativesIsCalledSound) { expect_none_proven("alternative_seams.gsl"); }

TEST(Seams, NoFalseRuleOfRootsIsCalledSound) { expect_none_proven("root_law_seams.gsl"); }

TEST(Seams, NoFalseRuleOfProductsIsCalledSound) { expect_none_proven("product_law_seams.gsl"); }

TEST(Seams, NoFalseRuleOfStridesIsCalledSound) { expect_none_proven("stride_law_seams.gsl"); }

TEST(Seams, NoFalseRuleOfQuotientsIsCalledSound) { expect_none_proven("quotient_law_seams.gsl"); }

TEST(Seams, NoFalseRuleOfConversionsIsCalledSound) { expect_none_proven("conversion_law_seams.gsl"); }

TEST(Seams, NoFalseRuleOfEquationsIsCalledSound) { expect_none_proven("equation_law_seams.gsl"); }

TEST(Seams, NoFalseRuleOfNarrowerTypesIsCalledSound) { expect_none_proven("conversion_seams.gsl"); }

TEST(Seams, NoFalseRuleOfFunctionsIsCalledSound) { expect_none_proven("function_seams.gsl"); }

TEST(Seams, NoFalseRuleOfReductionsIsCalledSound) { expect_none_proven("reduction_seams.gsl"); }

TEST(Seams, NoFalseRuleOfWindowsIsCalledSound) { expect_none_proven("window_seams.gsl"); }

TEST(Seams, NoFalseRuleOfPositionsIsCalledSound) { expect_none_proven("position_seams.gsl"); }

TEST(Seams, NoFalseRuleOfContractionsIsCalledSound) { expect_none_proven("contraction_seams.gsl"); }

TEST(Seams, NoFalseRuleOfConditionsIsCalledSound) { expect_none_proven("condition_seams.gsl"); }

TEST(Seams, NoFalseRuleOfUnknownNumbersIsCalledSound) { expect_none_proven("definition_seams.gsl"); }

TEST(Seams, NoFalseRuleOfFailingRunsIsCalledSound) { expect_none_proven("failing_seams.gsl"); }

TEST(Seams, NoFalseRuleOfRemaindersIsCalledSound) { expect_none_proven("remainder_law_seams.gsl"); }

TEST(Seams, NoFalseRuleOfMergedAxesIsCalledSound) { expect_none_proven("axis_law_seams.gsl"); }

TEST(Seams, WhatNaNOrASignedZeroTellsApartIsNotExact) {
  std::vector<Rule> rules = rules_of(text_of(VOUCH_ROOT "/tests/unit/optimize/exact_seams.gsl"));
  ASSERT_FALSE(rules.empty());
  for (const Rule& rule : rules) {
    CheckOptions alone;
    alone.refute = false;
    EXPECT_NE(check_rule(rule, alone).verdict, Verdict::SoundExact) << rule.name;
  }
}

// A float32 has 24 bits, a float16 eleven and a bfloat16 eight: 2^24 + 1 becomes 2^24, 2049 becomes 2048, 257 becomes 256.
TEST(Seams, IntegersThatFloatsDoNotHoldAreRefuted) {
  for (auto [whole, between] : {std::pair("int32", "float32"), std::pair("int16", "float16"), std::pair("uint16", "bfloat16")}) {
    std::string text = fmt::format(
        "rule back {{ let x = * {{dtype = {0}}}; source Cast(Cast(x) {{to = {1}}}) {{to = {0}}}; target x; }}", whole, between);
    EXPECT_EQ(check_rule(rules_of(text).at(0), {}).verdict, Verdict::Unsound) << text;
  }
}

TEST(Seams, TrueNeighboursAreProven) {
  std::vector<Rule> rules = rules_of(
      text_of(VOUCH_ROOT "/tests/unit/optimize/true_types.gsl") + text_of(VOUCH_ROOT "/tests/unit/optimize/true_elements.gsl") +
      text_of(VOUCH_ROOT "/tests/unit/optimize/true_growth.gsl") + text_of(VOUCH_ROOT "/tests/unit/optimize/true_powers.gsl") +
      text_of(VOUCH_ROOT "/tests/unit/optimize/true_logs.gsl") + text_of(VOUCH_ROOT "/tests/unit/optimize/true_laws.gsl"));
  ASSERT_FALSE(rules.empty());
  for (const Rule& rule : rules) {
    RuleVerdict verdict = check_rule(rule, {});
    EXPECT_TRUE(is_sound(verdict.verdict)) << rule.name << ": " << verdict.reason;
    EXPECT_TRUE(rule.expectation != Expectation::SoundExact || verdict.verdict == Verdict::SoundExact) << rule.name;
  }
}

// The examples that came from outside; they are not part of the project.
TEST(Seams, NoFalseRuleOfOthersIsCalledSound) {
  std::string text = text_of(VOUCH_ROOT "/../shared/data/attacks/rules.gsl");
  if (text.empty()) {
    GTEST_SKIP() << "../shared/data/attacks/rules.gsl is not there";
  }
  for (const Rule& rule : rules_of(text)) {
    EXPECT_FALSE(is_sound(check_rule(rule, {}).verdict)) << rule.name;
  }
}

AttrDict axes(const std::vector<std::int64_t>& list) { return AttrDict({{Symbol("axes"), AttrValue::of_ints(list)}}); }

// True, and so sound; but proven for one list of axes.
const char* const kOneList = R"gsl(rule one_list {
  let x = * {rank = 2};
  let r = reverse(x) {axes = (0, 1)};
  source Relu(r);
  target reverse(Relu(x)) {axes = (0, 1)};
})gsl";

TEST(Scope, AListThatTheRuleFixesIsTheOnlyOne) {
  Site same;
  EXPECT_EQ(same.fires(kOneList, same.call("Relu", {same.call("reverse", {same.input({2, 3})}, axes({0, 1}))})), 1U);
  Site other;
  EXPECT_EQ(other.fires(kOneList, other.call("Relu", {other.call("reverse", {other.input({2, 3})}, axes({0}))})), 0U);
}

const char* const kAnyAxes = R"gsl(rule any_axes {
  let x = *;
  let r = reverse(x) {axes = any};
  source Relu(r);
  target reverse(Relu(x)) {axes as r};
})gsl";

TEST(Scope, AnyAxesInAnyOrderAndFromEitherEnd) {
  for (const std::vector<std::int64_t>& list :
       std::vector<std::vector<std::int64_t>>{{0, 1}, {1, 0}, {-1, 0}, {-1, -2}, {1}, {-1}}) {
    Site site;
    EXPECT_EQ(site.fires(kAnyAxes, site.call("Relu", {site.call("reverse", {site.input({2, 3})}, axes(list))})), 1U)
        << site.reason;
  }
}

TEST(Scope, ARankThatWasNotProvenDoesNotFire) {
  Site site;
  EXPECT_EQ(site.fires(kAnyAxes, site.call("Relu", {site.call("reverse", {site.input(Extents(9, 1))}, axes({0, 1}))})), 0U);
  EXPECT_NE(site.reason.find("float32[1, 1, 1, 1, 1, 1, 1, 1, 1]; proven: "), std::string::npos) << site.reason;
}

TEST(Scope, ASizeOfZeroDoesNotFire) {
  Site site;
  EXPECT_EQ(site.fires(kAnyAxes, site.call("Relu", {site.call("reverse", {site.input({0, 3})}, axes({0, 1}))})), 0U);
}

const char* const kRelus = "rule relus { let x = *; source Relu(Relu(x)); target Relu(x); }";

std::size_t relus(Site& site, Extents extents, DType dtype) {
  return site.fires(kRelus, site.call("Relu", {site.call("Relu", {site.input(std::move(extents), dtype)})}));
}

TEST(Scope, OneTypeOfAKindIsProvenForAll) {
  for (DType dtype : {DType::Float32, DType::Float64, DType::Float16, DType::BFloat16, DType::Int8, DType::Int64}) {
    Site site;
    EXPECT_EQ(relus(site, {2, 3}, dtype), 1U) << dtype_name(dtype) << ": " << site.reason;
  }
}

TEST(Scope, RulesThatHoldAxisByAxisFireAtAnyRank) {
  for (std::size_t rank : {0U, 1U, 5U, 8U}) {
    Site site;
    EXPECT_EQ(relus(site, Extents(rank, 2), DType::Float32), 1U) << rank << ": " << site.reason;
  }
  Site empty;
  EXPECT_EQ(relus(empty, {2, 0, 3, 4, 5}, DType::Float32), 0U);
  EXPECT_NE(empty.reason, "");
}

// Two tensors, of which each has axes that the other has not.
TEST(Scope, EveryAxisOfABroadcastIsCovered) {
  const char* const rule = "rule sums { let x = *; let y = *; where x.dtype == int8; source (x + y) - y; target x + (y - y); }";
  Site site;
  NodeId x = site.input({5, 1, 2}, DType::Int8);
  NodeId y = site.input({3, 1, 4, 1}, DType::Int8);
  EXPECT_EQ(site.fires(rule, site.call("Sub", {site.call("Add", {x, y}), y})), 1U) << site.reason;
}

// Tensors of one type in the proof are of one type where the rule fires.
TEST(Scope, ATypeThatWasNotProvenDoesNotFire) {
  const char* const rule = "rule bytes { let x = *; where x.dtype == uint8 or x.dtype == int8; source x + x; target x * 2; }";
  Site proven;
  NodeId x = proven.input({2}, DType::UInt8);
  EXPECT_EQ(proven.fires(rule, proven.call("Add", {x, x})), 1U) << proven.reason;
  Site other;
  x = other.input({2}, DType::Int32);
  EXPECT_EQ(other.fires(rule, other.call("Add", {x, x})), 0U);
}

// Each alternative has a leaf that the other has not; a rank is proven for each.
const char* const kOwnLeaves = R"gsl(rule own_leaves {
  let x = *;
  let y = * {dtype = float32};
  let z = * {dtype = float32, rank = 2};
  let f = first(Exp(y), Abs(z));
  source x * Abs(f);
  target x * f;
})gsl";

std::size_t own_leaf(Site& site, const char* op, const Extents& extents) {
  NodeId leaf = site.call(op, {site.input(extents)});
  return site.fires(kOwnLeaves, site.call("Mul", {site.input(extents), site.call("Abs", {leaf})}));
}

TEST(Scope, AlternativesWithLeavesOfTheirOwn) {
  Site by_first;
  EXPECT_EQ(own_leaf(by_first, "Exp", {2, 3, 2}), 1U) << by_first.reason;
  Site by_second;
  EXPECT_EQ(own_leaf(by_second, "Abs", {2, 3}), 1U) << by_second.reason;
  Site another_rank;  // which only the first was proven for
  EXPECT_EQ(own_leaf(another_rank, "Abs", {2, 3, 2}), 0U);
}

// 0 would keep a size and -1 is what is left: where a definition takes the other meaning, a condition has to ask for it.
TEST(Scope, ASizeThatIsNoNumberIsWhatTheRuleAsksFor) {
  const char* const rule =
      "rule sized { let x = * {rank = 1, dtype = float32}; let s = const {value = any}; where len(s.value) == 1 and s.value[0] "
      ">= 1; "
      "source Shape(Reshape(x, Identity(s))) {start = 0, end = _}; target const {value = s.value}; drop x; }";
  for (auto [size, steps] : {std::pair(6, 1U), std::pair(0, 0U), std::pair(-1, 0U)}) {
    Site site;
    NodeId sizes = site.call("Identity", {site.list({size})});
    NodeId shape =
        site.call("Shape", {site.call("Reshape", {site.input({6}), sizes})}, AttrDict({{Symbol("start"), AttrValue(0)}}));
    EXPECT_EQ(site.fires(rule, shape), steps) << size << ": " << site.reason;
  }
}

TEST(Scope, AnAlternativeThatIsFalseIsNamed) {
  const char* const text =
      "rule second { let x = * {dtype = float32}; let z = * {dtype = float32}; let f = first(Exp(x), x * z); source Abs(f); "
      "target f; }";
  RuleVerdict verdict = check_rule(rules_of(text).at(0), {});
  ASSERT_EQ(verdict.verdict, Verdict::Unsound);
  EXPECT_NE(verdict.counterexample->label.find("f is x * z"), std::string::npos) << verdict.counterexample->label;
}

// Which option was taken is part of the scope: the second is proven by itself, with nothing assumed of the first.
const char* const kFirst = R"gsl(rule first_of_two {
  let x = *;
  let a = first(Relu(x), Identity(x));
  source Relu(a);
  target Relu(x);
})gsl";

TEST(Scope, EachOptionOfAnAlternative) {
  Site relu;
  NodeId x = relu.input({2});
  EXPECT_EQ(relu.fires(kFirst, relu.call("Relu", {relu.call("Relu", {x})})), 1U) << relu.reason;
  Site identity;
  x = identity.input({2});
  EXPECT_EQ(identity.fires(kFirst, identity.call("Relu", {identity.call("Identity", {x})})), 1U) << identity.reason;
}

TEST(Scope, WithoutAnAdmissionNothingFires) {
  Site site;
  NodeId x = site.input({2});
  site.graph.add_output("y", site.call("Relu", {site.call("Relu", {x})}));
  std::vector<Rule> rules = rules_of("rule twice { let x = *; source Relu(Relu(x)); target Relu(x); }");
  RewriteResult result = rewrite(site.graph, rules, RewriteOptions());
  EXPECT_EQ(result.steps, 0U);
  ASSERT_EQ(result.refusals.size(), 1U);
}

}  // namespace
}  // namespace vouch
