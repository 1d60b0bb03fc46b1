// The inference rules of attribute expressions, by name; values worked out by hand.
#include "rule/attr_eval.h"

#include <gtest/gtest.h>

#include "rule/parse.h"

namespace vouch {
namespace {

// x.shape is (2, 3, 5); every other access has no value.
class OneShape : public AttrSource {
 public:
  std::optional<AttrValue> access(PatternId, Symbol name, const SymbolEnv&) const override {
    if (name == Symbol("shape")) {
      return AttrValue(AttrTuple{AttrValue(2), AttrValue(3), AttrValue(5)});
    }
    return name == Symbol("rank") ? std::optional(AttrValue(3)) : std::nullopt;
  }
};

struct Expression {
  Rule rule;
  AttrId attr = kNone;
};

// The expression stands as the second operand of a condition, or as an attribute of the source.
Expression parse_value(const std::string& text) {
  Diagnostics diagnostics;
  auto rules = parse_rules(
      std::make_shared<Source>("t", "rule r { let x = *; where x.rank == (" + text + "); source Relu(x); target x; }"),
      diagnostics);
  EXPECT_TRUE(rules) << diagnostics.text();
  Expression found{rules.value_or(std::vector<Rule>(1))[0]};
  found.attr = found.rule.attr(found.rule.constraints.at(0)).args.at(1);
  return found;
}

std::string eval(const std::string& text, const SymbolEnv& symbols = {}) {
  Expression e = parse_value(text);
  auto value = eval_attr(e.rule, e.attr, symbols, OneShape());
  return value ? value->text() : "none";
}

bool match(const std::string& text, const AttrValue& value) {
  Diagnostics diagnostics;
  auto rules = parse_rules(
      std::make_shared<Source>("t", "rule r { let x = *; source Transpose(x) {perm = " + text + "}; target x; }"), diagnostics);
  EXPECT_TRUE(rules) << diagnostics.text();
  const Rule& rule = rules->at(0);
  return match_attr(rule, rule.pattern(rule.source_outputs[0]).attributes[0].value, value, {}, OneShape());
}

AttrValue ints(std::initializer_list<std::int64_t> values) { return AttrValue::of_ints(std::vector<std::int64_t>(values)); }

TEST(Eval, AEValue) {
  EXPECT_EQ(eval("7"), "7");
  EXPECT_EQ(eval("-7"), "-7");
  EXPECT_EQ(eval("true"), "1");
  EXPECT_EQ(eval("\"NHWC\""), AttrValue(std::string("NHWC")).text());
  EXPECT_EQ(eval("0.25 * 4"), eval("1.0"));
}

TEST(Eval, AEAccess) {
  EXPECT_EQ(eval("x.shape"), "(2, 3, 5)");
  EXPECT_EQ(eval("x.dtype"), "none");
}

TEST(Eval, AEBinary) {
  EXPECT_EQ(eval("1 + 2 * 3 - 4"), "3");
  EXPECT_EQ(eval("-7 // 2"), "-4");  // floors
  EXPECT_EQ(eval("-7 % 2"), "1");
  EXPECT_EQ(eval("7 // 0"), "none");
  EXPECT_EQ(eval("7 / 0"), "none");
  EXPECT_EQ(eval("min(3, -1) + max(3, -1)"), "2");
  EXPECT_EQ(eval("divides(3, 9) and not divides(2, 9)"), "1");
  EXPECT_EQ(eval("1 == 2 or 2 != 3"), "1");
  EXPECT_EQ(eval("(1, 2) == (1, 2)"), "1");
  EXPECT_EQ(eval("(1, 2) ++ (3,)"), "(1, 2, 3)");
  EXPECT_EQ(eval("permute((10, 20, 30), (2, 0, 1))"), "(30, 10, 20)");
  EXPECT_EQ(eval("0 == 1 and 1 // 0 == 1"), "0");  // the first decides
}

TEST(Eval, AETuple) { EXPECT_EQ(eval("(x.rank, 1 + 1, ())"), "(3, 2, ())"); }

TEST(Eval, AEProj) {
  EXPECT_EQ(eval("x.shape[0]"), "2");
  EXPECT_EQ(eval("x.shape[-1]"), "5");
  EXPECT_EQ(eval("x.shape[3]"), "none");
  EXPECT_EQ(eval("x.shape[-4]"), "none");
  EXPECT_EQ(eval("x.shape[1:]"), "(3, 5)");
  EXPECT_EQ(eval("x.shape[0:2]"), "(2, 3)");
  EXPECT_EQ(eval("len(x.shape[:1])"), "1");
}

TEST(Eval, AEVarAndAESymbol) {
  EXPECT_EQ(eval("tuple[i < 3](i * i)"), "(0, 1, 4)");
  EXPECT_EQ(eval("tuple[i < 2](tuple[j <= i](j))"), "((0), (0, 1))");
  EXPECT_EQ(eval("tuple[i < 0](i)"), "()");
}

TEST(Eval, AESumAndItsKin) {
  EXPECT_EQ(eval("sum[k < 3](x.shape[k])"), "10");
  EXPECT_EQ(eval("sum[k <= 1](x.shape[k])"), "5");
  EXPECT_EQ(eval("product[k < 3](x.shape[k])"), "30");
  EXPECT_EQ(eval("minimum[k < 3](x.shape[k])"), "2");
  EXPECT_EQ(eval("maximum[k < 3](x.shape[k])"), "5");
  EXPECT_EQ(eval("sum[k < 0](k)"), "0");
  EXPECT_EQ(eval("minimum[k < 0](k)"), "none");
  EXPECT_EQ(eval("all[k < 3](x.shape[k] > 1)"), "1");
  EXPECT_EQ(eval("exists[k < 3](x.shape[k] == 4)"), "0");
  EXPECT_EQ(eval("exists[k < 2](k - 1)"), "1");                        // a negative number is not false
  EXPECT_EQ(eval("exists[k < 3](k - 1)"), "1");                        // nor are those that add up to 0
  EXPECT_EQ(eval("tuple[j < 2](sum[k <= j](x.shape[k]))"), "(2, 5)");  // prefix sums
}

TEST(Eval, HasABudget) { EXPECT_EQ(eval("sum[a < 100000](sum[b < 100000](sum[c < 100000](1)))"), "none"); }

TEST(Match, AMAny) { EXPECT_TRUE(match("any", ints({1, 0}))); }

TEST(Match, AMEval) {
  EXPECT_TRUE(match("x.shape", ints({2, 3, 5})));
  EXPECT_FALSE(match("x.shape", ints({2, 3})));
  EXPECT_FALSE(match("x.shape", ints({2, 3, 4})));
}

TEST(Match, AMTuple) {
  EXPECT_TRUE(match("(any, 1, x.shape[0])", ints({9, 1, 2})));
  EXPECT_FALSE(match("(any, 1, x.shape[0])", ints({9, 1, 3})));
  EXPECT_FALSE(match("(any, 1)", ints({9, 1, 2})));
  EXPECT_FALSE(match("(any, 1)", AttrValue(1)));
}

TEST(Match, AMVar) {
  EXPECT_TRUE(match("tuple[i](x.rank - i)", ints({3, 2, 1, 0})));
  EXPECT_TRUE(match("tuple[i](any)", ints({})));
  EXPECT_FALSE(match("tuple[i](x.rank - i)", ints({3, 1})));
}

TEST(Match, JoinedTuplesSplitWhereALengthIsKnown) {
  EXPECT_TRUE(match("(any,) ++ x.shape[1:]", ints({9, 3, 5})));
  EXPECT_FALSE(match("(any,) ++ x.shape[1:]", ints({9, 3})));
  EXPECT_TRUE(match("tuple[i](any) ++ (7,)", ints({1, 2, 7})));
  EXPECT_FALSE(match("tuple[i](any) ++ (7,)", ints({1, 2, 8})));
}

TEST(Match, ConditionalsChooseWhatIsMatched) {
  EXPECT_TRUE(match("if (x.rank == 3) (any, 1) else (0, 1)", ints({5, 1})));
  EXPECT_FALSE(match("if (x.rank == 2) (any, 1) else (0, 1)", ints({5, 1})));
}

}  // namespace
}  // namespace vouch
