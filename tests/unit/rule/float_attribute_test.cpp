// Numbers for float attributes are those of float32; the same numbers elsewhere are as they are written.
#include <gtest/gtest.h>

#include "rule/parse.h"
#include "rule/print.h"
#include "rules_of.h"

namespace vouch {
namespace {

const AttrExpr& attribute(const Rule& rule, PatternId id, const char* name) {
  for (const PatternAttr& attr : rule.pattern(id).attributes) {
    if (attr.name == Symbol(name)) {
      return rule.attr(attr.value);
    }
  }
  throw std::out_of_range(name);
}

Rational number(const AttrExpr& e) { return (*e.value.number())->value; }

// 0.1 as float32 has it: 13421773 / 2^27 (IEEE 754, 24 bits).
const Rational kTenth(13421773, 134217728);

TEST(FloatAttribute, IsTheNearestFloat32InSourceAndTarget) {
  Rule rule = printed_back("let x = *; source LeakyRelu(x) {alpha = 0.1}; target Elu(x) {alpha = -0.1};");
  EXPECT_EQ(number(attribute(rule, rule.source_outputs[0], "alpha")), kTenth);
  EXPECT_EQ(number(attribute(rule, rule.target_outputs[0], "alpha")), -kTenth);
}

TEST(FloatAttribute, ANumberOfATensorStaysAsWritten) {
  Rule rule =
      printed_back("let x = *; attr a = 0.1; source LeakyRelu(x) {alpha = a}; target x * const {value = a, dtype = float64};");
  EXPECT_EQ(number(attribute(rule, rule.source_outputs[0], "alpha")), kTenth);
  EXPECT_EQ(number(attribute(rule, rule.pattern(rule.target_outputs[0]).operands[1], "value")), Rational(1, 10));
}

TEST(FloatAttribute, WhatIsComputedOfNumbersIsRoundedOnce) {
  Rule rule = printed_back(
      "let x = *; source LeakyRelu(x) {alpha = 1 / 20 + 1 / 20}; target Elu(x) {alpha = if (x.rank == 1) 0.1 else 0.5};");
  EXPECT_EQ(number(attribute(rule, rule.source_outputs[0], "alpha")), kTenth);
  const AttrExpr& chosen = attribute(rule, rule.target_outputs[0], "alpha");
  ASSERT_EQ(chosen.kind, AttrKind::Conditional);
  EXPECT_EQ(number(rule.attr(chosen.args[1])), kTenth);
  EXPECT_EQ(number(rule.attr(chosen.args[2])), Rational(1, 2));
}

TEST(FloatAttribute, IsComparedWithTheNearestFloat32) {
  Rule rule = printed_back(
      "let x = *; let y = LeakyRelu(x); where y.alpha == 0.1; where 0.1 <= y.alpha; where x.rank < 2.1;"
      "source y; target LeakyRelu(x) {* as y};");
  EXPECT_EQ(number(rule.attr(rule.attr(rule.constraints[0]).args[1])), kTenth);
  EXPECT_EQ(number(rule.attr(rule.attr(rule.constraints[1]).args[0])), kTenth);
  EXPECT_EQ(number(rule.attr(rule.attr(rule.constraints[2]).args[1])), Rational(21, 10));
}

TEST(FloatAttribute, IntegersThatFloat32HasStayIntegersAndOthersAreRounded) {
  Rule rule = printed_back("let x = *; source LeakyRelu(x) {alpha = 3}; target Elu(x) {alpha = 16777217};");
  EXPECT_EQ(attribute(rule, rule.source_outputs[0], "alpha").value, AttrValue(3));
  EXPECT_EQ(number(attribute(rule, rule.target_outputs[0], "alpha")), Rational(16777216));
}

}  // namespace
}  // namespace vouch
