// Verdicts on small rules, each true one beside false neighbours that must never be called sound.
#include "check/check.h"

#include <gtest/gtest.h>

#include "rule/parse.h"
#include "verdict_of.h"

namespace vouch {
namespace {

struct Twin {
  const char* name;
  const char* sound;
  const char* twin;  // false, however small the change
};

class Twins : public testing::TestWithParam<Twin> {};

TEST_P(Twins, TrueRuleIsSound) { EXPECT_TRUE(is_sound(verdict_of(GetParam().sound))); }
TEST_P(Twins, FalseTwinIsNot) { EXPECT_FALSE(is_sound(verdict_of(GetParam().twin))); }

// Reads: x[i, j] and its permutations, reversals, offsets. Reductions: bijections of domains. Choices: signs.
INSTANTIATE_TEST_SUITE_P(
    Rules, Twins,
    testing::Values(
        Twin{"square_abs", "let x = *; where x.dtype == \"float32\"; source Abs(x * x); target x * x;",
             "let x = *; where x.dtype == \"float32\"; let c = x * x * x; source Abs(c); target Identity(c);"},
        Twin{"relu_exp", "let x = *; where x.dtype == \"float32\"; source Relu(Exp(x)); target Exp(x);",
             "let x = *; let y = *; where x.dtype == \"float32\" and y.dtype == \"float32\"; let d = Exp(x) - Exp(y); source "
             "Relu(d); target Identity(d);"},
        Twin{
            "relu_softmax",
            "let x = *; where x.dtype == \"float32\"; source Relu(Softmax(x) {axis = -1}); target Softmax(x) {axis = -1};",
            "let x = *; where x.dtype == \"float32\"; source Relu(LogSoftmax(x) {axis = -1}); target LogSoftmax(x) {axis = -1};"},
        Twin{"root_squared", "let x = *; where x.dtype == \"float32\"; let r = Sqrt(x); source r * r; target Identity(x);",
             "let x = *; where x.dtype == \"float32\"; source Sqrt(x * x); target Identity(x);"},
        Twin{"root_as_power", "let x = * {dtype = float32}; source Pow(x, 0.5); target Sqrt(x);",
             "let x = * {dtype = float32}; source Pow(x * x, 0.5); target Identity(x);"},
        Twin{"power_of_root", "let x = * {dtype = float32}; source Sqrt(x); target Pow(x, 0.5);",
             "let x = * {dtype = float32}; source Identity(x); target Pow(x, 0.5) * Pow(x, 0.5);"},
        Twin{"exp_log", "let x = *; where x.dtype == \"float32\"; source Exp(Log(x)); target Identity(x);",
             "let x = *; where x.dtype == \"float32\"; source Identity(x); target Exp(Log(x));"},
        Twin{"max_of_signs",
             "let x = *; let y = *; where x.dtype == \"float32\" and y.dtype == \"float32\"; source Max((Exp(x), Neg(y * y))) + "
             "y; target Exp(x) + y;",
             "let x = *; let y = *; where x.dtype == \"float32\" and y.dtype == \"float32\"; source Max((Exp(x), Neg(y))) + y; "
             "target Exp(x) + y;"},
        // Shapes that are numbers: with a size of 0, a reshape would copy one that the other has changed.
        Twin{"reshape_reshape",
             "let x = * {rank = 2}; let s = const {value = any}; let t = const {value = any}; where len(s.value) == 2 and "
             "len(t.value) == 2 and t.value[0] * t.value[1] != 0; source Reshape(Reshape(x, s), t); target Reshape(x, t);",
             "let x = * {rank = 2}; let s = const {value = any}; let t = const {value = any}; where len(s.value) == 2 and "
             "len(t.value) == 2; source Reshape(Reshape(x, s), t); target Reshape(x, t);"},
        Twin{"transpose", "let x = * {rank = 2}; source transpose(transpose(x) {perm = (1, 0)}) {perm = (1, 0)}; target x;",
             "let x = * {shape = (3, 3)}; let t = transpose(x) {perm = (1, 0)}; source transpose(t) {perm = (0, 1)}; target x;"},
        Twin{"reverse", "let x = * {rank = 1}; source reverse(reverse(x) {axes = (0,)}) {axes = (0,)}; target x;",
             "let x = * {rank = 1}; source reverse(x) {axes = (0,)}; target Identity(x);"},
        Twin{"reshape", "let x = * {rank = 2}; source reshape(reshape(x) {shape = (-1,)}) {shape = x.shape}; target x;",
             "let x = * {rank = 2}; source reshape(reshape(x) {shape = (x.shape[1], x.shape[0])}) {shape = x.shape}; "
             "target reshape(transpose(x) {perm = (1, 0)}) {shape = x.shape};"},
        Twin{"distribution",
             "let x = *; let y = * {shape = x.shape, dtype = x.dtype}; let z = * {shape = x.shape, dtype = x.dtype}; "
             "source x * y + x * z; target x * (y + z);",
             "let x = *; let y = * {shape = x.shape, dtype = x.dtype}; let z = * {shape = x.shape, dtype = x.dtype}; "
             "source x * y + x * z; target y * (x + z);"},
        Twin{"product_of_transposes",
             "let a = * {rank = 2, dtype = \"float32\"}; let b = * {rank = 2, dtype = \"float32\"}; "
             "source transpose(MatMul(a, b)) {perm = (1, 0)}; "
             "target MatMul(transpose(b) {perm = (1, 0)}, transpose(a) {perm = (1, 0)});",
             "let a = * {shape = (3, 3), dtype = \"float32\"}; let b = * {shape = (3, 3), dtype = \"float32\"}; "
             "source transpose(MatMul(a, b)) {perm = (1, 0)}; "
             "target MatMul(transpose(a) {perm = (1, 0)}, transpose(b) {perm = (1, 0)});"},
        Twin{"chain",
             "let a = * {rank = 2, dtype = \"float32\"}; let b = * {rank = 2, dtype = \"float32\"}; "
             "let c = * {rank = 2, dtype = \"float32\"}; source MatMul(MatMul(a, b), c); target MatMul(a, MatMul(b, c));",
             "let a = * {shape = (2, 2), dtype = \"float32\"}; let b = * {shape = (2, 2), dtype = \"float32\"}; "
             "let c = * {shape = (2, 2), dtype = \"float32\"}; source MatMul(MatMul(a, b), c); target MatMul(b, MatMul(a, c));"},
        Twin{"not_not", "let x = * {dtype = \"bool\"}; source Not(Not(x)); target x;",
             "let x = * {dtype = \"bool\"}; source Not(x); target Identity(x);"},
        Twin{"de_morgan",
             "let x = * {dtype = \"bool\"}; let y = * {shape = x.shape, dtype = \"bool\"}; "
             "source Not(And(x, y)); target Or(Not(x), Not(y));",
             "let x = * {dtype = \"bool\"}; let y = * {shape = x.shape, dtype = \"bool\"}; "
             "source Not(And(x, y)); target And(Not(x), Not(y));"},
        Twin{"comparison",
             "let x = * {dtype = \"int32\"}; let y = * {shape = x.shape, dtype = \"int32\"}; "
             "source Not(Less(x, y)); target GreaterOrEqual(x, y);",
             "let x = * {dtype = \"float32\"}; let y = * {shape = x.shape, dtype = \"float32\"}; "
             "source Less(x, y); target LessOrEqual(x, y);"},
        Twin{"clamp", "let x = * {dtype = \"float32\"}; source Relu(Relu(x)); target Relu(x);",
             "let x = * {dtype = \"float32\"}; source Relu(-x); target -Relu(x);"},
        Twin{"select", "let p = * {dtype = \"bool\"}; let x = * {shape = p.shape}; source select(p, x, x); target x; drop p;",
             "let p = * {dtype = \"bool\"}; let x = * {shape = p.shape}; let y = * {shape = p.shape, dtype = x.dtype}; "
             "source select(p, x, y); target select(p, y, x);"},
        Twin{"quotient",
             "let x = * {dtype = \"float32\"}; let y = * {shape = x.shape, dtype = \"float32\"}; "
             "source (x / y) * y; target x; drop y;",
             "let x = * {dtype = \"float32\"}; let y = * {shape = x.shape, dtype = \"float32\"}; "
             "source x * y; target (x * y) * (y / y);"},
        Twin{"concat",
             "let x = * {rank = 1}; let y = * {rank = 1, dtype = x.dtype}; let z = * {rank = 1, dtype = x.dtype}; "
             "source concatenate((concatenate((x, y)) {axis = 0}, z)) {axis = 0}; target concatenate((x, y, z)) {axis = 0};",
             "let x = * {rank = 1}; let y = * {shape = x.shape, dtype = x.dtype}; "
             "source concatenate((x, y)) {axis = 0}; target concatenate((y, x)) {axis = 0};"}),
    [](const testing::TestParamInfo<Twin>& tested) { return std::string(tested.param.name); });

TEST(Check, IntegersMayWrapAround) {
  // 0 < (x + 1) - x holds over the integers, not for the largest int64.
  Verdict verdict = verdict_of(
      "let x = * {dtype = \"int64\"}; let one = const {value = 1, rank = 0, dtype = \"int64\"}; "
      "source Less(x, x + one); target Equal(x, x);");
  EXPECT_FALSE(is_sound(verdict));
}

TEST(Check, VacuousSaysWhichConditionHasNoSolution) {
  RuleVerdict verdict = check_rule(rule_of("let x = * {rank = 1}; where x.shape[0] > 5; where x.shape[0] % 2 == 0; where "
                                           "x.shape[0] < 3; source Relu(x); target x;"),
                                   {});
  EXPECT_EQ(verdict.verdict, Verdict::Vacuous);
  EXPECT_NE(verdict.reason.find("<= 2"), std::string::npos) << verdict.reason;
}

TEST(Check, SourceThatIsNeverLegalIsVacuous) {
  EXPECT_EQ(verdict_of("let x = * {rank = 1}; where x.shape[0] < 0; source Identity(Identity(x)); target x;"), Verdict::Vacuous);
}

TEST(Check, SourceThatIsLegalOnlyWithoutElementsIsNotVacuous) {
  EXPECT_EQ(verdict_of("let x = * {rank = 1}; where x.shape[0] == 0; source Identity(Identity(x)); target x;"),
            Verdict::SoundExact);
}

TEST(Check, AlgebraIsSaid) {
  EXPECT_EQ(verdict_of("let x = *; source Identity(x); target x;"), Verdict::SoundExact);
  EXPECT_EQ(verdict_of("let a = * {rank = 1, dtype = \"float32\"}; let b = * {shape = a.shape, dtype = \"float32\"}; "
                       "let c = * {shape = a.shape, dtype = \"float32\"}; source (a + b) + c; target a + (b + c);"),
            Verdict::SoundReal);
}

}  // namespace
}  // namespace vouch
