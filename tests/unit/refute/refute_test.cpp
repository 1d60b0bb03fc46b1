#include "refute/refute.h"

#include <gtest/gtest.h>

#include "../check/rule_of.h"
#include "refute/mutate.h"
#include "refute/show.h"
#include "refute/suggest_condition.h"

namespace vouch {
namespace {

// By hand: x = -1, s = -1 gives relu(-1) * -1 = 0 against relu(1) = 1, and x = 1, s = -1 gives -1 against 0.
TEST(Refute, FindsTheSignOfAFactor) {
  Refutation result = refute_rule(rule_of("let x = *; let s = *; source Relu(x) * s; target Relu(x * s);"));
  ASSERT_TRUE(result.counterexample);
  const Counterexample& c = *result.counterexample;
  EXPECT_EQ(c.failing, Failing::Differs);
  double x = c.inputs[0].double_at(0);
  double s = c.inputs[1].double_at(0);
  EXPECT_EQ(double_of(c.source_value.low), std::max(x, 0.0) * s);
  EXPECT_EQ(double_of(c.target_value.low), std::max(x * s, 0.0));
  EXPECT_NE(c.source_value.low, c.target_value.low);
  EXPECT_EQ(c.inputs[0].count(), 1);  // as small as can be
  EXPECT_TRUE(run_again(c));
}

// By hand: 1/2 and 1/2 round down to 0 each, and their sum to 1. On whole numbers both hold.
TEST(Refute, FindsWhatOnlyFractionsTell) {
  EXPECT_TRUE(refute_rule(rule_of("let x = *; let y = *; source Floor(x + y); target Floor(x) + Floor(y);")).counterexample);
  EXPECT_TRUE(refute_rule(rule_of("let x = *; source Round(x); target x;")).counterexample);
  EXPECT_TRUE(refute_rule(rule_of("let x = *; source Ceil(x); target Floor(x);")).counterexample);
}

// By hand: the root of (-1)^2 is 1.
TEST(Refute, FindsWhatOnlyNegativesTell) {
  EXPECT_TRUE(refute_rule(rule_of("let x = *; source Sqrt(x * x); target x;")).counterexample);
}

TEST(Refute, SameSeedSameCounterexample) {
  Rule rule = rule_of("let x = *; let y = *; source x - y; target y - x;");
  Refutation a = refute_rule(rule);
  Refutation b = refute_rule(rule);
  ASSERT_TRUE(a.counterexample && b.counterexample);
  EXPECT_EQ(show_counterexample(*a.counterexample), show_counterexample(*b.counterexample));
}

// By hand, of channels that are pixels of blocks: of two channels of blocks of 2 × 2, or of 3 × 3, the orders are no longer one.
// A remainder of a size is no line through its first values.
TEST(Refute, FindsChannelsOfBlocks) {
  for (const char* items :
       {R"(let x = * {rank = 4, dtype = float32}; source DepthToSpace(x) {blocksize = 2, mode = "DCR"};
           target DepthToSpace(x) {blocksize = 2, mode = "CRD"};)",
        R"(let x = * {rank = 4, dtype = float32}; source DepthToSpace(x) {blocksize = 3, mode = "DCR"};
           target DepthToSpace(x) {blocksize = 3, mode = "CRD"};)",
        R"(let x = * {rank = 4, dtype = float32}; where x.shape[1] == 12;
           source SpaceToDepth(DepthToSpace(x) {blocksize = 2, mode = "CRD"}) {blocksize = 2}; target x;)",
        R"(let x = * {rank = 4, dtype = float32}; source DepthToSpace(DepthToSpace(x) {blocksize = 2, mode = "DCR"})
           {blocksize = 2, mode = "DCR"}; target DepthToSpace(x) {blocksize = 4, mode = "DCR"};)"}) {
    Refutation result = refute_rule(rule_of(items));
    ASSERT_TRUE(result.counterexample) << items;
    EXPECT_EQ(result.counterexample->failing, Failing::Differs) << items;
  }
}

// By hand: int8 holds positions to 127, float16 each integer to 2048 and not all digits of float32.
TEST(Refute, FindsWhatNarrowTypesDoNotHold) {
  for (const char* items :
       {"let x = * {dtype = float32}; source Cast(Cast(Size(x)) {to = int8}) {to = int64}; target Size(x);",
        "let x = * {rank = 1, dtype = float32}; let a = ArgMax(x); source Cast(Cast(a) {to = int8}) {to = int64}; "
        "target ArgMax(x) {* as a};",
        "let x = * {dtype = float32}; source Cast(Cast(x) {to = float16}) {to = float32}; target x;",
        "let x = * {dtype = float16}; source Cast(Cast(x) {to = bfloat16}) {to = float16}; target x;",
        "let x = * {dtype = float64}; source Cast(Cast(x) {to = float32}) {to = float64}; target x;"}) {
    EXPECT_TRUE(refute_rule(rule_of(items)).counterexample) << items;
  }
}

// By hand: at s = 1 and x = 128 the one is -128, the other -127; at s = 1/256 zero points differ; of s in (1/128, 1/127] -2 is
// clipped to -1, which is -127 steps.
TEST(Refute, FindsWhereQuantisedNumbersEnd) {
  const std::string given =
      "let x = * {dtype = float32}; let s = const {rank = 0, dtype = float32, value = any};\n"
      "let z = const {value = 0, rank = 0};\n";
  for (const char* items :
       {"where s.value > 0 and z.dtype == int8; source QuantizeLinear(Neg(x), s, z); target Neg(QuantizeLinear(x, s, z));",
        "where s.value > 0 and s.value < 1 / 255 and z.dtype == uint8; source QuantizeLinear(Abs(x), s, z); "
        "target QuantizeLinear(Abs(x), s, const {value = 1, rank = 0, dtype = uint8});",
        "where s.value > 1 / 128 and s.value <= 1 / 127 and z.dtype == int8; source QuantizeLinear(Clip(x, -1, 1), s, z); "
        "target QuantizeLinear(x, s, z);"}) {
    EXPECT_TRUE(refute_rule(rule_of(given + items)).counterexample) << items;
  }
}

// A product of two float16 has 22 digits: float32 holds it, so that both sides round it once. Of three the source rounds once and
// the target twice.
TEST(Refute, NoDifferenceIsThatOneSideAloneWasRounded) {
  Refutation once =
      refute_rule(rule_of("let x = * {dtype = float16}; let y = * {dtype = float16}; "
                          "source Cast(Cast(x) {to = float32} * Cast(y) {to = float32}) {to = float16}; target x * y;"));
  EXPECT_FALSE(once.counterexample) << show_counterexample(*once.counterexample);
  EXPECT_GT(once.compared, 0U);
  EXPECT_TRUE(
      refute_rule(rule_of("let x = * {dtype = float16}; let y = * {dtype = float16}; let z = * {dtype = float16}; "
                          "source Cast(Cast(x) {to = float64} * Cast(y) {to = float64} * Cast(z) {to = float64}) {to = float16}; "
                          "target x * y * z;"))
          .counterexample);
}

// log(x * y) is defined for x = y = -1, log x is not.
TEST(Refute, FindsATargetThatIsNotDefined) {
  Refutation result = refute_rule(rule_of("let x = *; let y = *; source Log(x * y); target Log(x) + Log(y);"));
  ASSERT_TRUE(result.counterexample);
  EXPECT_EQ(result.counterexample->failing, Failing::Undefined) << show_counterexample(*result.counterexample);
}

TEST(Refute, TellsTypesThatDifferFromTargetsThatAreIllegal) {
  Rule permuted = rule_of("let x = * {rank = 2}; source Transpose(x) {perm = (1, 0)}; target x;");
  Refutation types = refute_rule(permuted);
  ASSERT_TRUE(types.counterexample);
  // Either a shape that is not square, or different elements of one that is.
  EXPECT_NE(types.counterexample->failing, Failing::IllTyped);
  Rule illegal = rule_of(
      "let x = * {rank = 2}; let y = * {rank = 2}; source MatMul(x, y); "
      "target MatMul(Concat((x, x)) {axis = 1}, y);");
  Refutation ill_typed = refute_rule(illegal);
  ASSERT_TRUE(ill_typed.counterexample);
  EXPECT_EQ(ill_typed.counterexample->failing, Failing::IllTyped);
}

// exp(x) * exp(y) = exp(x + y) holds though no element is rational: enclosures that meet say nothing.
TEST(Refute, LeavesTrueRulesAlone) {
  for (const char* items :
       {"let x = *; let y = *; source Exp(x) * Exp(y); target Exp(x + y);", "let x = *; source Log(Exp(x)); target x;",
        "let x = * {rank = 2}; let y = * {rank = 2}; let z = * {rank = 2}; source MatMul(MatMul(x, y), z); "
        "target MatMul(x, MatMul(y, z));"}) {
    RefuteOptions options;
    Refutation result = refute_rule(rule_of(items), options);
    EXPECT_FALSE(result.counterexample) << show_counterexample(*result.counterexample);
    EXPECT_GT(result.compared, 0U);
  }
}

TEST(Show, MatricesWithTheirPlaces) {
  std::vector<double> values{1, -2, 0.5, 4};
  EXPECT_EQ(show_tensor("x", Tensor::of_doubles(DType::Float32, {2, 2}, values)),
            "  x: float32[2, 2]\n      1  -2\n    1/2   4\n");
  EXPECT_EQ(show_tensor("k", Tensor::of_doubles(DType::Float32, {2, 1, 2}, values)),
            "  k: float32[2, 1, 2]\n   [0]\n     1 -2\n   [1]\n    1/2   4\n");
}

TEST(Suggest, EqualRanksRepairABiasOnAnAxisFromTheFront) {
  Rule rule = rule_of(
      "let x1 = *; let b1 = *; let x2 = *; let b2 = *;"
      "source bias_add(x1, b1) {axis = 1} + bias_add(x2, b2) {axis = 1};"
      "target bias_add(x1 + x2, b1 + b2) {axis = 1};");
  auto repair = suggest_repair(rule);
  ASSERT_TRUE(repair);
  EXPECT_EQ(repair->conditions, (std::vector<std::string>{"x1.rank == x2.rank"}));
}

// Relu of -1 is 0, at any size; where the sizes are others, or both sides agree, it says nothing.
TEST(Suggest, ARepairFallsByACounterexampleThatMeetsItsConditions) {
  auto vector = [](const std::string& condition) {
    return rule_of("let x = * {rank = 1};" + condition + "source Relu(x); target x;");
  };
  Refutation found = refute_rule(vector(""));
  ASSERT_TRUE(found.counterexample && found.counterexample->inputs[0].count() == 1);
  auto falls = [&](const Rule& rule) {
    std::size_t instances = 0;
    return is_refuted_by(rule, {*found.counterexample}, {}, instances);
  };
  EXPECT_TRUE(falls(vector("")));
  EXPECT_TRUE(falls(vector("where x.shape[0] <= 7;")));
  EXPECT_FALSE(falls(vector("where x.shape[0] == 7;")));
  EXPECT_FALSE(falls(rule_of("let x = * {rank = 2}; source Relu(x); target x;")));
  EXPECT_FALSE(falls(rule_of("let x = * {rank = 1}; source Relu(Relu(x)); target Relu(x);")));
}

TEST(Mutate, ChangesWhatIsThere) {
  Rule rule = rule_of(
      "let x = * {rank = 2}; let y = *; where x.shape[0] == y.shape[0];"
      "source Concat((x, y)) {axis = 1}; target Concat((x, y)) {axis = 1};");
  std::vector<std::string> found;
  for (const Mutant& mutant : mutants(rule)) {
    found.push_back(std::string(mutation_name(mutant.kind)));
  }
  for (const char* kind : {"another axis", "operand order", "dropped constraint"}) {
    EXPECT_NE(std::find(found.begin(), found.end(), kind), found.end()) << kind;
  }
}

}  // namespace
}  // namespace vouch
