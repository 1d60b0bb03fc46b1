// Laws of functions of reals: what undoes another, what moves through a rounding, an extremum, a comparison; and neighbours that
// hold for most numbers only. Of a wrong one there is a counterexample, and no proof where none is looked for.
#include <gtest/gtest.h>

#include "check/check.h"
#include "rule_of.h"

namespace vouch {
namespace {

const char* const kOneReal = "let x = * {dtype = \"float32\"};";
const char* const kTwoReals = "let x = * {dtype = \"float32\"}; let y = * {dtype = \"float32\", shape = x.shape};";
const char* const kRealImage = "let x = * {dtype = \"float32\", rank = 4};";
const char* const kRealMatrix = "let x = * {dtype = \"float32\", rank = 2}; let a = const {value = (1,)};";

struct LawOfReals {
  const char* name;
  const char* inputs;
  const char* source;
  const char* target;
};

Verdict verdict_of_law(const LawOfReals& claim, bool refute) {
  CheckOptions options;
  options.instances.max_rank = 2;
  options.refute = refute;
  return check_rule(rule_of(std::string(claim.inputs) + " source " + claim.source + "; target " + claim.target + ";"), options)
      .verdict;
}

std::string name_of_law(const ::testing::TestParamInfo<LawOfReals>& claim) { return claim.param.name; }

class TrueOfReals : public ::testing::TestWithParam<LawOfReals> {};

// Not bit by bit: floats round.
TEST_P(TrueOfReals, IsProven) { EXPECT_EQ(verdict_of_law(GetParam(), true), Verdict::SoundReal); }

const LawOfReals kLawsOfReals[] = {
    {"RoundEven", kOneReal, "Round(x + 2.0)", "Round(x) + 2.0"},
    {"RoundMinusFour", kOneReal, "Round(x - 4.0)", "Round(x) - 4.0"},
    {"RoundEvenBack", kOneReal, "Round(x) + 6.0", "Round(6.0 + x)"},
    {"RoundEvenWhole", kTwoReals, "Round(x + Floor(y) * 2.0)", "Floor(y) * 2.0 + Round(x)"},
    {"AsinhSinh", kOneReal, "Asinh(Sinh(x))", "x"},
    {"SinhAsinh", kOneReal, "Sinh(Asinh(x))", "x"},
    {"AtanhTanh", kOneReal, "Atanh(Tanh(x))", "x"},
    {"AcoshCosh", kOneReal, "Acosh(Cosh(x))", "Abs(x)"},
    {"AsinhMinusSinh", kOneReal, "Asinh(-Sinh(x))", "-x"},
    {"InverseOfSum", kTwoReals, "Sinh(Asinh(x + y))", "y + x"},
    {"PoolLog", kRealImage, "GlobalMaxPool(Log(x))", "Log(GlobalMaxPool(x))"},
    {"PoolSqrt", kRealImage, "GlobalMaxPool(Sqrt(x))", "Sqrt(GlobalMaxPool(x))"},
    {"MaxLog", kRealMatrix, "ReduceMax(Log(x), a) {keepdims = 1}", "Log(ReduceMax(x, a) {keepdims = 1})"},
    {"MinLog", kRealMatrix, "ReduceMin(Log(x), a) {keepdims = 1}", "Log(ReduceMin(x, a) {keepdims = 1})"},
    {"MaxLogMax", kRealMatrix, "ReduceMax(Log(x), a) {keepdims = 0}", "Log(ReduceMax(x, a) {keepdims = 0})"},
    {"WhereZeroExp", kOneReal, "Where(Equal(x, 0.0), Exp(x), x)", "Where(Equal(x, 0.0), 1.0, x)"},
    {"WhereTwoSinh", kOneReal, "Where(Equal(x, 2.0), x * x + Exp(x - 2.0), x)", "Where(Equal(x, 2.0), 5.0, x)"},
    {"CastAbsBool", kOneReal, "Cast(Abs(x)) {to = \"bool\"}", "Cast(x) {to = \"bool\"}"},
    {"AbsEqualZero", kOneReal, "Equal(Abs(x), 0.0)", "Equal(x, 0.0)"},
    {"AbsNeverNegative", kOneReal, "Where(Less(Abs(x), 0.0), x, Exp(x))", "Exp(x)"},
};

INSTANTIATE_TEST_SUITE_P(Laws, TrueOfReals, ::testing::ValuesIn(kLawsOfReals), name_of_law);

class FalseOfReals : public ::testing::TestWithParam<LawOfReals> {};

TEST_P(FalseOfReals, IsRefutedAndNotProven) {
  EXPECT_EQ(verdict_of_law(GetParam(), false), Verdict::Unknown);
  EXPECT_EQ(verdict_of_law(GetParam(), true), Verdict::Unsound);
}

const LawOfReals kNotLawsOfReals[] = {
    {"RoundOdd", kOneReal, "Round(x + 1.0)", "Round(x) + 1.0"},
    {"RoundThree", kOneReal, "Round(x - 3.0)", "Round(x) - 3.0"},
    {"RoundHalf", kOneReal, "Round(x + 0.5)", "Round(x) + 0.5"},
    {"RoundTwoAndHalf", kOneReal, "Round(x + 2.5)", "Round(x) + 2.5"},
    {"RoundOddWhole", kTwoReals, "Round(x + Floor(y))", "Round(x) + Floor(y)"},
    {"RoundThreeWhole", kTwoReals, "Round(x + Floor(y) * 3.0)", "Round(x) + Floor(y) * 3.0"},
    {"RoundEvenOfFraction", kTwoReals, "Round(x + y * 2.0)", "Round(x) + y * 2.0"},
    {"RoundEvenTwice", kOneReal, "Round(x * 2.0)", "Round(x) * 2.0"},
    {"RoundOfHalfWhole", kTwoReals, "Round(x + Floor(y) * 0.5)", "Round(x) + Floor(y) * 0.5"},
    {"CeilFraction", kOneReal, "Ceil(x + 0.5)", "Ceil(x) + 0.5"},
    {"AsinhCosh", kOneReal, "Asinh(Cosh(x))", "x"},
    {"SinhAcosh", kOneReal, "Sinh(Acosh(x))", "x"},
    {"AcoshCoshX", kOneReal, "Acosh(Cosh(x))", "x"},
    {"AcoshCoshMinus", kOneReal, "Acosh(Cosh(x))", "-x"},
    {"AsinSin", kOneReal, "Asin(Sin(x))", "x"},
    {"AcosCos", kOneReal, "Acos(Cos(x))", "x"},
    {"AtanTan", kOneReal, "Atan(Tan(x))", "x"},
    {"CosAsin", kOneReal, "Cos(Asin(x))", "x"},
    {"TanhAtan", kOneReal, "Tanh(Atan(x))", "x"},
    {"AsinOfMore", kOneReal, "Identity(x)", "Sin(Asin(x))"},
    {"AcosOfMore", kOneReal, "Identity(x)", "Cos(Acos(x))"},
    {"AtanhOfMore", kOneReal, "Identity(x)", "Tanh(Atanh(x))"},
    {"AcoshOfMore", kOneReal, "Identity(x)", "Cosh(Acosh(x))"},
    {"AbsAsAcosh", kOneReal, "Identity(x)", "Acosh(Cosh(x))"},
    {"TwiceInside", kOneReal, "Asinh(Sinh(x) * 2.0)", "x * 2.0"},
    {"SinhAsinhShift", kOneReal, "Sinh(Asinh(x) + 1.0)", "x + 1.0"},
    {"AtanhLess", kOneReal, "Less(x, 2.0)", "Less(Tanh(Atanh(x)), 2.0)"},
    {"LogMax", kRealMatrix, "Log(ReduceMax(x, a) {keepdims = 1})", "ReduceMax(Log(x), a) {keepdims = 1}"},
    {"SqrtMax", kRealMatrix, "Sqrt(ReduceMax(x, a) {keepdims = 1})", "ReduceMax(Sqrt(x), a) {keepdims = 1}"},
    {"LogMinMax", kRealMatrix, "ReduceMax(Log(x), a) {keepdims = 1}", "Log(ReduceMin(x, a) {keepdims = 1})"},
    {"LogOfMore", kRealMatrix, "ReduceMax(Sqrt(x), a) {keepdims = 1}", "Log(ReduceMax(x, a) {keepdims = 1})"},
    {"LogOfShifted", kRealMatrix, "ReduceMax(Log(x), a) {keepdims = 1} + 1.0", "Log(ReduceMax(x - 1.0, a) {keepdims = 1}) + 1.0"},
    {"LogSum", kRealMatrix, "ReduceSum(Log(x), a) {keepdims = 1}", "Log(ReduceSum(x, a) {keepdims = 1})"},
    {"TwoLogBack", kTwoReals, "Log(Max((x, y)))", "Max((Log(x), Log(y)))"},
    {"TwoSqrtBack", kTwoReals, "Sqrt(Max((x, y)))", "Max((Sqrt(x), Sqrt(y)))"},
    {"TwoAcos", kTwoReals, "Max((Acos(x), Acos(y)))", "Acos(Max((x, y)))"},
    {"TwoCosh", kTwoReals, "Max((Cosh(x), Cosh(y)))", "Cosh(Max((x, y)))"},
    {"TwoLogZero", kOneReal, "Max((Log(x), 0.0))", "Log(Max((x, 0.0)))"},
    {"TwoAsinBack", kTwoReals, "Asin(Min((x, y)))", "Min((Asin(x), Asin(y)))"},
    {"ReluEluMinus", kOneReal, "Relu(Elu(x) {alpha = -1.0})", "Relu(x)"},
    {"ReluEluAny", kOneReal, "Relu(Elu(x) {alpha = any})", "Relu(x)"},
    {"EluOfMinusRelu", kOneReal, "Elu(-Relu(x)) {alpha = 1.0}", "-Relu(x)"},
    {"SeluEluAlpha", kOneReal, "Selu(x) {alpha = 2.0, gamma = 3.0}", "Elu(x) {alpha = 3.0} * 3.0"},
    {"SeluEluGamma", kOneReal, "Selu(x) {alpha = 2.0, gamma = 3.0}", "Elu(x) {alpha = 2.0} * 2.0"},
    {"SeluEluSwapped", kOneReal, "Selu(x) {alpha = 2.0, gamma = 3.0}", "Elu(x) {alpha = 3.0} * 2.0"},
    {"CeluElu", kOneReal, "Celu(x) {alpha = 2.0}", "Elu(x) {alpha = 2.0}"},
    {"WhereZeroNot", kOneReal, "Where(Equal(x, 0.0), x, Exp(x))", "Where(Equal(x, 0.0), x, 1.0)"},
    {"WhereTwoOne", kOneReal, "Where(Equal(x, 2.0), Exp(x - 1.0), x)", "Where(Equal(x, 2.0), 1.0, x)"},
    {"WhereLess", kOneReal, "Where(LessOrEqual(x, 0.0), Exp(x), x)", "Where(LessOrEqual(x, 0.0), 1.0, x)"},
    {"WhereSumZero", kTwoReals, "Where(Equal(x + y, 0.0), Exp(x), x)", "Where(Equal(x + y, 0.0), 1.0, x)"},
    {"WhereNotZero", kOneReal, "Where(Not(Equal(x, 0.0)), Exp(x), x)", "Where(Not(Equal(x, 0.0)), 1.0, x)"},
    {"AbsEqualOne", kOneReal, "Equal(Abs(x), 1.0)", "Equal(x, 1.0)"},
    {"AbsGreaterZero", kOneReal, "Greater(Abs(x), 0.0)", "Greater(x, 0.0)"},
    {"AbsLessZero", kOneReal, "Less(Abs(x), 0.0)", "Less(x, 0.0)"},
    {"AbsAtLeast", kOneReal, "GreaterOrEqual(Abs(x), 0.0)", "GreaterOrEqual(x, 0.0)"},
    {"AbsAlways", kOneReal, "GreaterOrEqual(Abs(x), 0.0)", "Equal(x - x, x * 0.0 + 1.0)"},
    {"CastReluBool", kOneReal, "Cast(Relu(x)) {to = \"bool\"}", "Cast(x) {to = \"bool\"}"},
    {"AbsOfSum", kTwoReals, "Equal(Abs(x) + Abs(y), 0.0)", "Equal(x + y, 0.0)"},
    {"MinusAbs", kOneReal, "Less(-Abs(x), 0.0)", "Less(x, 0.0)"},
    {"ExactCastTrunc", kOneReal, "Cast(Abs(x)) {to = \"int32\"}", "Cast(x) {to = \"int32\"}"},
};

// A comparison is false of NaN, which a logarithm of what is below 0 is in floats.
TEST(OfReals, ComparisonsSeeWhatHasNoValue) {
  for (const LawOfReals& claim : {
           LawOfReals{"", kRealImage, "Less(GlobalMaxPool(Log(x)), 0.0)", "Less(Log(GlobalMaxPool(x)), 0.0)"},
           LawOfReals{"", kRealImage, "GlobalMaxPool(Log(x)) + Where(Less(Log(GlobalMaxPool(x)), 0.0), 1.0, 0.0)",
                      "Log(GlobalMaxPool(x)) + Where(Less(GlobalMaxPool(Log(x)), 0.0), 1.0, 0.0)"},
           LawOfReals{"", kOneReal, "Less(Sin(Asin(x)), 2.0)", "Less(x, 2.0)"},
           LawOfReals{"", kOneReal, "Less(Tanh(Atanh(x)), 2.0)", "Less(x, 2.0)"},
           LawOfReals{"", kTwoReals, "Less(Max((Log(x), Log(y))), 0.0)", "Less(Log(Max((x, y))), 0.0)"},
       }) {
    EXPECT_FALSE(is_sound(verdict_of_law(claim, false))) << claim.source;
  }
}

INSTANTIATE_TEST_SUITE_P(Neighbours, FalseOfReals, ::testing::ValuesIn(kNotLawsOfReals), name_of_law);

}  // namespace
}  // namespace vouch
