// What has no value, the logarithm of what is below 0, is NaN in floats, of which each comparison is false (and `Not(Equal)`
// true): from there on there is a value, which the target has to have. A sum, a product and an extremum of NaN are NaN: they keep
// it.
#include <gtest/gtest.h>

#include "check/check.h"
#include "rule_of.h"

namespace vouch {
namespace {

const char* const kNumber = "let x = * {dtype = \"float32\"};";
const char* const kNumberAndZero = "let x = * {dtype = \"float32\"}; let z = const {value = 0, rank = 0, dtype = \"float32\"};";
const char* const kTwoNumbers = "let x = * {dtype = \"float32\"}; let y = * {dtype = \"float32\", shape = x.shape};";
const char* const kSummedRows = "let x = * {dtype = \"float32\", rank = 2}; let a = const {value = (1,)};";
const char* const kComparedRows = "let x = * {dtype = \"float32\", rank = 2};";
const char* const kTwoComparedRows =
    "let x = * {dtype = \"float32\", rank = 2}; let y = * {dtype = \"float32\", shape = x.shape};";
#define OF_ROWS " {axis = 1, keepdims = 0, select_last_index = 0}"

const char* const kThreeInputs =
    "let x = * {dtype = \"float32\", rank = 1}; let a = const {value = (0,)}; let y = * {dtype = \"float32\", rank = 0}; let z = "
    "* "
    "{dtype = \"float32\", rank = 0};";
#define OF_LARGEST "Where(Less(ReduceMax(x, a) {keepdims = 0} - Log(ReduceMax(x, a) {keepdims = 0}), y), y, z)"
const char* const kThreeNumbers =
    "let x = * {dtype = \"float32\"}; let y = * {dtype = \"float32\", shape = x.shape}; let z = * {dtype = \"float32\", shape = "
    "x.shape};";

const char* const kVector =
    "let x = * {dtype = \"float32\", rank = 1}; let y = * {dtype = \"float32\", rank = 1}; let z = * {dtype = \"float32\", shape "
    "= "
    "y.shape}; let a = const {value = (0,)}; let b = const {value = (1,)}; let c = const {value = (2,)}; let d = const {value = "
    "(3,)};";

const char* const kOneElement =
    "let x = * {dtype = \"float32\", shape = (1, 1)}; let y = * {dtype = \"float32\", shape = (1, 1)}; let z = * {dtype = "
    "\"float32\", shape = (1, 1)};";

struct ForgettingClaim {
  const char* name;
  const char* inputs;
  const char* source;
  const char* target;
};

std::string name_of_claim(const ::testing::TestParamInfo<ForgettingClaim>& claim) { return claim.param.name; }

// The proof alone is on trial: the interpreter computes in rationals, where these sources have no value to compare.
Verdict verdict_of_claim(const ForgettingClaim& claim) {
  CheckOptions options;
  options.instances.max_rank = 2;
  options.refute = false;
  return check_rule(rule_of(std::string(claim.inputs) + " source " + claim.source + "; target " + claim.target + ";"), options)
      .verdict;
}

class Forgotten : public ::testing::TestWithParam<ForgettingClaim> {};

TEST_P(Forgotten, IsNotProven) { EXPECT_EQ(verdict_of_claim(GetParam()), Verdict::Unknown); }

// Beside each the input at which floats differ.
const ForgettingClaim kForgotten[] = {
    {"LessOfLog", kNumber, "Less(Exp(Log(x)), 2.0)", "Less(x, 2.0)"},                            // -1: false, true
    {"NotLessOfLog", kNumber, "Not(Less(Exp(Log(x)), 2.0))", "Not(Less(x, 2.0))"},               // -1: true, false
    {"EqualOfRoots", kTwoNumbers, "Equal(Sqrt(x) * Sqrt(x), y)", "Equal(x, y)"},                 // -1, -1: false, true
    {"LessOfQuotient", kNumber, "Less(x * x / x, 2.0)", "Less(x, 2.0)"},                         // 0: false, true
    {"LessOfCancelled", kTwoNumbers, "Less(x * y / y, 2.0) ", "Less(x + (y - y), 2.0)"},         // 1, 0: false, true
    {"LessOfSine", kNumber, "Less(Sin(Asin(x)), 2.0)", "Less(x, 2.0)"},                          // -3: false, true
    {"SumOfLogs", kNumber, "Less(Log(x) - Log(x), 1.0)", "Less(x - x, 1.0)"},                    // -1: false, true
    {"ArgMaxOfLog", kComparedRows, "ArgMax(Exp(Log(x)))" OF_ROWS, "ArgMax(x)" OF_ROWS},          // (1, -1, 3): 1, 2
    {"ArgMaxOfRoots", kComparedRows, "ArgMax(Sqrt(x) * Sqrt(x))" OF_ROWS, "ArgMax(x)" OF_ROWS},  // (1, -1, 3): 1, 2
    {"ArgMinOfQuotient", kComparedRows, "ArgMin(x * x / x)" OF_ROWS, "ArgMin(x)" OF_ROWS},       // (-1, 0): 1, 0
    {"IsNaNOfLog", kNumber, "IsNaN(Exp(Log(x)))", "IsNaN(x)"},                                   // -1: true, false
    {"TruthOfQuotient", kNumber, "Cast(x * x / x) {to = \"bool\"}", "Cast(x) {to = \"bool\"}"},  // 0: true, false
    {"ThresholdOfLog", kNumber, "ThresholdedRelu(Exp(Log(x))) {alpha = -5.0}", "ThresholdedRelu(x) {alpha = -5.0}"},  // -1: 0, -1
    {"ShrinkOfRoots", kNumber, "Shrink(Sqrt(x) * Sqrt(x)) {bias = 0.0, lambd = 0.5}",
     "Shrink(x) {bias = 0.0, lambd = 0.5}"},                                            // -1: 0, -1
    {"ChosenByLog", kNumber, "Where(Less(0.0, Log(x)), Log(x), 0.0)", "Relu(Log(x))"},  // -1: 0, NaN
    {"ChosenAndMore", kNumber, "Where(Less(Log(x), 0.0), 1.0, 0.0)",
     "Where(Less(Log(x), 0.0), 1.0, 0.0) + Log(x) * 0.0"},  // -1: 0, NaN
    {"OtherComparison", kNumber, "Less(Exp(Log(x)), 2.0)",
     "Or(Less(x, 2.0), And(Less(Log(x), 0.0), Less(x, 2.0)))"},  // -1: false, true
    {"LessOfSum", kSummedRows, "Less(ReduceSum(Exp(Log(x)), a) {keepdims = 0}, 2.0)",
     "Less(ReduceSum(x, a) {keepdims = 0}, 2.0)"},  // -1
    {"OtherSum", kSummedRows, "Less(ReduceSum(Exp(Log(x)), a) {keepdims = 0}, 2.0)",
     "Or(Less(ReduceSum(x, a) {keepdims = 0}, 2.0), And(Less(ReduceSum(Log(x), a) {keepdims = 0}, 0.0), Less(ReduceSum(x, a) "
     "{keepdims = 0}, 2.0)))"},  // -1: false, true
    {"OtherLog", kThreeInputs,
     "Where(Less(ReduceMax(Exp(Log(x)), a) {keepdims = 0} - Log(ReduceMax(x, a) {keepdims = 0}), y), y, z)",
     "Where(Less(ReduceSum(Log(x), a) {keepdims = 0}, y), " OF_LARGEST ", " OF_LARGEST " + (y - y))"},  // (2, -5), 5, 0: 0, 5
    {"LimitedDivisor", kThreeNumbers, "Where(Less(x, 5.0), Where(Less(x * x / x, 2.0), y, z), z)",
     "Where(Less(x, 5.0), Where(Less(1.0 / x, 2.0), Where(Less(x, 2.0), y, z), Where(Less(x, 2.0), y, z) + (y - y)), z)"},  // 0,
                                                                                                                            // 1,
                                                                                                                            // 2:
                                                                                                                            // 2,
                                                                                                                            // 1
    {"OwnRemainder", kThreeNumbers, "Where(Less(Mod(x, x) {fmod = 1} + x, y), y, z)",
     "Where(Less(Mod(x, x) {fmod = 1}, y), Where(Less(x, y), y, z), Where(Less(x, y), y, z) + (y - y))"},  // 0, 1, 2: 2, 1
    // NaN elsewhere in a row.
    {"SumCancelled", kSummedRows, "Less(ReduceSum(x, a) {keepdims = 1} - ReduceSum(x, a) {keepdims = 1} + x, 1.0)",
     "Less(x, 1.0)"},
    {"SumOnBothSides", kSummedRows, "Less(ReduceSum(x, a) {keepdims = 1} + x, ReduceSum(x, a) {keepdims = 1} + 1.0)",
     "Less(x, 1.0)"},
    {"LargestOnBothSides", kSummedRows, "Less(x - ReduceMax(x, a) {keepdims = 1}, 1.0 - ReduceMax(x, a) {keepdims = 1})",
     "Less(x, 1.0)"},
    // (.., NaN, 1, 0): NaN times 0.
    {"FixedFactor", kVector,
     "Where(Equal(Slice(x, c, d), 0.0), Where(Less(Slice(x, c, d) * Slice(x, a, b) + Slice(x, b, c), 1.0), y, z), z * 2.0)",
     "Where(Equal(Slice(x, c, d), 0.0), Where(Less(Slice(x, b, c), 1.0), y, z), z * 2.0)"},
    {"FixedFactorOfNaN", kVector,
     "Where(Equal(Slice(x, c, d), 0.0), Where(IsNaN(Slice(x, c, d) * Slice(x, a, b) + Slice(x, b, c)), y, z), z * 2.0)",
     "Where(Equal(Slice(x, c, d), 0.0), Where(IsNaN(Slice(x, b, c)), y, z), z * 2.0)"},
    // The one element is NaN.
    {"OneElement", kOneElement, "Where(Less(x - Transpose(x) {perm = (1, 0)} + y, 1.0), y, z)",
     "Where(Less(y, 1.0), y, z) + x * 0.0"},
    {"MagnitudeByLog", kNumber, "Where(Less(Log(x), 0.0), Abs(x), Abs(x) * 5.0)",
     "Where(Less(Log(x), 0.0), x, x * 5.0)"},                                                                 // -1: 5, -5
    {"MagnitudeByRoot", kNumber, "Where(Less(Sqrt(x), 0.0), x, Abs(x))", "Where(Less(Sqrt(x), 0.0), x, x)"},  // -1: 1, -1
    {"LargerOfLog", kNumber, "Less(Max((Log(x), x * 0.0)), x * 0.0 + 1.0)",
     "Less(Where(Less(x * 0.0, Log(x)), Log(x), x * 0.0) + (x - x), x * 0.0 + 1.0)"},  // -1
};

INSTANTIATE_TEST_SUITE_P(Claims, Forgotten, ::testing::ValuesIn(kForgotten), name_of_claim);

class Remembered : public ::testing::TestWithParam<ForgettingClaim> {};

TEST_P(Remembered, IsProven) { EXPECT_EQ(verdict_of_claim(GetParam()), Verdict::SoundReal); }

const ForgettingClaim kRemembered[] = {
    {"LogTwice", kNumber, "Less(Log(x) + Log(x), 2.0)", "Less(Log(x), 1.0)"},
    {"NotCompared", kNumber, "Exp(Log(x))", "Identity(x)"},
    {"RootOfSquare", kNumber, "Less(Sqrt(x * x), 2.0)", "Less(Abs(x), 2.0)"},
    {"LogOfExp", kNumber, "Less(Log(Exp(x)), 2.0)", "Less(x, 2.0)"},
    {"ArgMaxOfQuotient", kTwoComparedRows, "ArgMax(x / y)" OF_ROWS, "ArgMax(x * Reciprocal(y))" OF_ROWS},
    {"ChosenByQuotient", kTwoNumbers, "Where(Less(x / y, 2.0), x, y)", "Where(Less(x * Reciprocal(y), 2.0), x, y)"},
    {"KeptByBothChoices", kNumber, "LeakyRelu(Log(x)) {alpha = 0.5}", "Max((Log(x), Log(x) * 0.5))"},
    {"SameChoice", kTwoNumbers, "Where(Greater(x / y, 0.0), x, x)", "x + y * 0.0"},
    {"ComparedByTarget", kNumberAndZero, "Max((Log(x), z))", "Where(Less(z, Log(x)), Log(x), z)"},
    {"SumsKept", kSummedRows, "Less(ReduceSum(x, a) {keepdims = 1} + x, 1.0)",
     "Less(x * 2.0 + ReduceSum(x, a) {keepdims = 1} - x, 1.0)"},
    {"RootOfMore", kNumber, "Less(Sqrt(x * x + 1.0) * Sqrt(x * x + 1.0), 2.0)", "Less(x * x + 1.0, 2.0)"},
};

INSTANTIATE_TEST_SUITE_P(Claims, Remembered, ::testing::ValuesIn(kRemembered), name_of_claim);

// The same numbers are compared, bit for bit.
TEST(RememberedExactly, WhatIsMovedIsComparedAsItIs) {
  const ForgettingClaim moved{"ArgMaxOfMoved", kComparedRows,
                              "ArgMax(Transpose(Log(x)) {perm = (1, 0)}) {axis = 0, keepdims = 0, select_last_index = 0}",
                              "ArgMax(Log(x))" OF_ROWS};
  EXPECT_EQ(verdict_of_claim(moved), Verdict::SoundExact);
}

}  // namespace
}  // namespace vouch
