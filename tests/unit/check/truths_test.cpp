// Laws of truth values hold bit for bit: no law of arithmetic is used. Beside them stand neighbours that are no laws.
#include <gtest/gtest.h>

#include "check/check.h"
#include "rule_of.h"

namespace vouch {
namespace {

CheckOptions of_low_ranks() {
  CheckOptions options;
  options.instances.max_rank = 2;
  return options;
}

struct TruthCase {
  const char* name;
  const char* rule;
};

std::string truth_name(const ::testing::TestParamInfo<TruthCase>& info) { return info.param.name; }

class LawsOfTruth : public ::testing::TestWithParam<TruthCase> {};

TEST_P(LawsOfTruth, HoldBitForBit) {
  RuleVerdict v = check_rule(rule_of(GetParam().rule), of_low_ranks());
  EXPECT_EQ(v.verdict, Verdict::SoundExact) << v.reason;
}

const TruthCase kTruths[] = {
    {"Conjunction", "let x = *; source And(x, x); target x;"},
    {"Disjunction", "let x = *; source Or(x, x); target x;"},
    {"TwoNegations", "let x = *; source Not(Not(x)); target x;"},
    {"Absorption", "let x = *; let y = * {shape = x.shape}; drop y; source Or(x, And(x, y)); target x;"},
    {"DeMorgan", "let x = *; let y = *; source Not(And(x, y)); target Or(Not(x), Not(y));"},
    {"ThroughFloats", "let x = * {dtype = bool}; source Cast(Cast(x) {to = float32}) {to = bool}; target x;"},
    {"ThroughIntegers", "let x = * {dtype = bool}; source Cast(Cast(x) {to = int8}) {to = bool}; target x;"},
};

INSTANTIATE_TEST_SUITE_P(Truths, LawsOfTruth, ::testing::ValuesIn(kTruths), truth_name);

class NoLaws : public ::testing::TestWithParam<TruthCase> {};

TEST_P(NoLaws, AreRefuted) {
  RuleVerdict v = check_rule(rule_of(GetParam().rule), of_low_ranks());
  EXPECT_EQ(v.verdict, Verdict::Unsound) << v.reason;
}

const TruthCase kFalse[] = {
    {"ConjunctionOfTwo", "let x = *; let y = * {shape = x.shape}; drop y; source And(x, y); target x;"},
    {"OneNegation", "let x = *; source Not(x); target x;"},
    {"ExclusiveOr", "let x = *; source Xor(x, x); target x;"},
    {"NumbersThroughTruth", "let x = * {dtype = float32}; source Cast(Cast(x) {to = bool}) {to = float32}; target x;"},
    {"DeMorganWithOne", "let x = *; let y = *; source Not(And(x, y)); target And(Not(x), Not(y));"},
};

INSTANTIATE_TEST_SUITE_P(Neighbours, NoLaws, ::testing::ValuesIn(kFalse), truth_name);

}  // namespace
}  // namespace vouch
