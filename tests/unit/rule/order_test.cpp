// Reverse post-order, successor sequences, owners and free symbols, on rules small enough to work out by hand.
#include <gtest/gtest.h>

#include <algorithm>

#include "rule/builder.h"
#include "rule/parse.h"
#include "rules_of.h"

namespace vouch {
namespace {

PatternId named(const Rule& rule, std::string_view name) {
  for (PatternId id = 0; id < rule.patterns.size(); ++id) {
    if (rule.pattern(id).name.name() == name) {
      return id;
    }
  }
  return kNone;
}

std::string names(const Rule& rule, const std::vector<PatternId>& ids) {
  std::string out;
  for (PatternId id : ids) {
    out += (out.empty() ? "" : " ") + rule.pattern(id).name.name();
  }
  return out;
}

// A commutative operator means the same in either order: the one that can be matched is taken.
TEST(Order, OperandsThatSpeakOfTheOtherComeSecond) {
  for (const char* source : {"z + a", "a + z", "Relu(z) * a", "(z + b) + a"}) {
    bool third = std::string(source).find('b') != std::string::npos;
    std::string lets = std::string("let a = * {rank = 2};") + (third ? " let b = *;" : "") + " let z = * {shape = a.shape};";
    Rule rule = one_rule_of(lets + " source " + source + "; drop z; target " + (third ? "a + b;" : "Relu(a);"));
    auto at = [&](const char* name) {
      return std::find(rule.source_order.begin(), rule.source_order.end(), named(rule, name)) - rule.source_order.begin();
    };
    EXPECT_LT(at("a"), at("z")) << source;
  }
}

TEST(Order, OperandsOfOtherOperatorsStay) {
  Diagnostics diagnostics;
  auto rules = parse_rules(std::make_shared<Source>("test.gsl",
                                                    "rule r {let a = * {rank = 2}; let z = * {shape = a.shape}; "
                                                    "source z - a; drop z; target a;}"),
                           diagnostics);
  EXPECT_FALSE(rules);
  EXPECT_NE(diagnostics.text().find("is not matched before this value is needed"), std::string::npos) << diagnostics.text();
}

// The graph of the thesis' figure multi_example: v1 -> v2 -> v4, v1 -> v3 -> v5 and v6.
TEST(Order, IsReversePostOrderWithSuccessorsInIt) {
  Rule rule = one_rule_of(R"(let v1 = *; let v2 = Relu(v1); let v3 = Neg(v1); let v6 = Abs(v3); let v5 = Exp(v3);
                         let v4 = Sigmoid(v2); source v4, v5, v6; target v1, v1, v1;)");
  EXPECT_EQ(names(rule, rule.source_order), "v1 v2 v4 v3 v5 v6");
  EXPECT_EQ(names(rule, rule.successors[named(rule, "v1")]), "v2 v3");
  EXPECT_EQ(names(rule, rule.successors[named(rule, "v3")]), "v5 v6");
  EXPECT_EQ(names(rule, rule.successors[named(rule, "v4")]), "");
}

TEST(Order, OperandsFirstFromLeftToRightAndRepeatedUsersOnce) {
  Rule rule = one_rule_of("let b = *; let a = *; let s = a * a; source (s - b) + a; target b * a;");
  EXPECT_EQ(names(rule, {rule.source_order.begin(), rule.source_order.begin() + 3}), "a s b");
  EXPECT_EQ(rule.successors[named(rule, "a")].size(), 2U);  // s once, and the sum
}

TEST(Order, TargetPatternsFollowThoseTheirAttributesAccess) {
  Rule rule = one_rule_of(R"(let x = *; let y = Neg(x); let z = Relu(x);
                         source Abs(x); target Reshape(Exp(x), const {value = y.shape}) + y + z;)");
  std::string order = names(rule, rule.target_order);
  const auto& ids = rule.target_order;
  auto place = [&](PatternId id) { return std::find(ids.begin(), ids.end(), id) - ids.begin(); };
  for (PatternId id : ids) {
    if (rule.pattern(id).kind == PatternKind::Const) {
      EXPECT_LT(place(named(rule, "y")), place(id)) << order;
    }
  }
}

TEST(Order, FirstInstancesAreMatchedBeforeTheTemplates) {
  Rule rule = one_rule_of(R"(let x = *; let w1 = variable; let c = MatMul(x, w1);
                         variadic v[i] from c, w1 { let w = variable {shape = w1.shape}; yield MatMul(x, w); }
                         source v; target variadic[i] { MatMul(x, v[i].w) };)");
  EXPECT_EQ(names(rule, rule.source_order), "x w1 c w  v");
  PatternId v = named(rule, "v");
  PatternId w = named(rule, "w");
  EXPECT_EQ(rule.pattern(w).owner, v);
  EXPECT_EQ(rule.pattern(named(rule, "w1")).owner, kNone);
  EXPECT_EQ(rule.pattern(v).templates[0], rule.pattern(v).operands[0]);
  EXPECT_EQ(rule.pattern(v).first, (std::vector<PatternId>{named(rule, "c"), named(rule, "w1")}));
}

TEST(FreeSymbols, DecideWhatMayBeRemembered) {
  Rule rule = one_rule_of(R"(let x = *; variadic v[i] { let w = variable; yield MatMul(x, w); } source v;
                         attr closed = x.rank + sum[k < v.length](v[k].w.rank);
                         target variadic[i] { Transpose(MatMul(x, v[i].w)) {perm = (closed, v[i].w.rank, i)} };)");
  const Pattern& call = rule.pattern(rule.pattern(rule.target_outputs[0]).operands[0]);
  const AttrExpr& perm = rule.attr(call.attributes[0].value);
  EXPECT_FALSE(perm.closed);
  EXPECT_EQ(perm.free, std::vector<Symbol>{Symbol("i")});
  EXPECT_TRUE(rule.attr(perm.args[0]).closed);
  EXPECT_FALSE(rule.attr(perm.args[1]).closed);
  EXPECT_EQ(rule.attr(perm.args[0]).let_name, Symbol("closed"));
}

// An access to a template of the same branch does not name the index, but its value depends on it.
TEST(FreeSymbols, OfAnAccessToATemplateAreItsOwnersIndices) {
  Rule rule = one_rule_of(R"(let x = *; variadic v[i] { let w = variable; yield MatMul(x, w); } source v;
                         target variadic[j] { let u = Neg(v[j].w); yield Transpose(MatMul(x, u)) {perm = (u.rank,)}; };)");
  const Pattern& call = rule.pattern(rule.pattern(rule.target_outputs[0]).operands[0]);
  EXPECT_EQ(rule.attr(call.attributes[0].value).free, std::vector<Symbol>{Symbol("j")});
}

TEST(Builder, ReachesTheSyntaxOfTheTextAndReportsByRuleName) {
  RuleBuilder b("built");
  PatternId x = b.name(b.wildcard(), "x");
  b.source({b.call("Relu", {x})});
  b.target({b.call("Relu", {x}, {{"alpha", b.value(AttrValue(1))}})});
  Diagnostics diagnostics;
  EXPECT_FALSE(b.finish(diagnostics));
  EXPECT_EQ(diagnostics.text().substr(0, 58), "rule 'built': error: Relu has no attribute 'alpha'\n  hint:");
}

// The thesis' sample: a variadic output of the target takes the length of the source's.
TEST(Builder, TargetOutputTakesTheSourcesLength) {
  RuleBuilder b("sample");
  PatternId x = b.wildcard();
  PatternId w = b.name(b.variable(), "w");
  PatternId field = b.call("MatMul", {x, w});
  PatternId v = b.variadic(field, {{w, kNone}, {field, kNone}}, "i", kNone, 2);
  PatternId of = b.instance(v, w, b.symbol("j"));
  PatternId again = b.call("MatMul", {x, of});
  b.source({v});
  b.target({b.variadic(again, {{of, kNone}, {again, kNone}}, "j")});
  Diagnostics diagnostics;
  auto rule = b.finish(diagnostics);
  ASSERT_TRUE(rule) << diagnostics.text();
  const AttrExpr& length = rule->attr(rule->pattern(rule->target_outputs[0]).length);
  EXPECT_EQ(length.pattern, rule->source_outputs[0]);
  EXPECT_EQ(length.name, Symbol("length"));
}

}  // namespace
}  // namespace vouch
