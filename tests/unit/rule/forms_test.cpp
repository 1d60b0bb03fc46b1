// One rule for each form of the language (the tables in rule/ast.h): it parses to that form, and prints back.
#include <gtest/gtest.h>

#include <algorithm>

#include "rule/parse.h"
#include "rule/print.h"
#include "rules_of.h"

namespace vouch {
namespace {

std::size_t count(const Rule& rule, PatternKind kind) {
  return static_cast<std::size_t>(
      std::count_if(rule.patterns.begin(), rule.patterns.end(), [&](const Pattern& p) { return p.kind == kind; }));
}

std::size_t count(const Rule& rule, AttrKind kind) {
  return static_cast<std::size_t>(
      std::count_if(rule.attrs.begin(), rule.attrs.end(), [&](const AttrExpr& a) { return a.kind == kind; }));
}

TEST(PatternForm, Wildcard) {
  Rule rule = printed_back("let x = * {rank = 4, dtype = float32}; source Relu(x); target x;");
  EXPECT_EQ(rule.pattern(rule.source_order[0]).kind, PatternKind::Wildcard);
}

TEST(PatternForm, Const) {
  Rule rule = printed_back("let x = *; source x * const {value = (1, 2), dtype = int64} + 2.5; target x * 0.1;");
  EXPECT_EQ(count(rule, PatternKind::Const), 3U);
}

// A number of the source has rank 0; one of the target takes its neighbour's dtype.
TEST(PatternForm, ConstAsANumber) {
  Rule rule = printed_back("let x = *; source x * 2.0; target 3.0 * x;");
  const Pattern& source = rule.pattern(rule.pattern(rule.source_outputs[0]).operands[1]);
  ASSERT_EQ(source.attributes.size(), 2U);
  EXPECT_EQ(source.attributes[0].name, Symbol("rank"));
  const Pattern& target = rule.pattern(rule.pattern(rule.target_outputs[0]).operands[0]);
  ASSERT_EQ(target.attributes.size(), 2U);
  EXPECT_EQ(print_attr(rule, target.attributes[0].value), "x.dtype");
}

TEST(PatternForm, Variable) {
  Rule rule = printed_back(
      "let x = *; let w = variable {shape = (x.shape[-1], any), dtype = x.dtype}; source MatMul(x, w); target MatMul(x, w);");
  EXPECT_EQ(count(rule, PatternKind::Variable), 1U);
}

TEST(PatternForm, CallWithAbsentOperandAndCopiedAttributes) {
  Rule rule = printed_back("let x = *; let hi = *; let c = Clip(x, _, hi); source c; target Clip(x, _, hi) {* as c};");
  const Pattern& call = rule.pattern(rule.source_outputs[0]);
  EXPECT_EQ(call.operands[1], kNone);
  EXPECT_EQ(rule.pattern(rule.target_outputs[0]).attributes_as, rule.source_outputs[0]);
  EXPECT_EQ(printed_back("let x = *; source Clip(x, _, _); target x;").patterns[1].operands.size(), 1U);
}

TEST(PatternForm, CallByArithmetic) {
  Rule rule = printed_back("let x = *; let y = *; source -(x + y) * x / (y - x); target x * y;");
  std::vector<std::string_view> names;
  for (PatternId id : rule.source_order) {
    if (rule.pattern(id).kind == PatternKind::Call) {
      names.push_back(op_def(*rule.pattern(id).op).name);
    }
  }
  EXPECT_EQ(names, (std::vector<std::string_view>{"Add", "Neg", "Mul", "Sub", "Div"}));
}

TEST(PatternForm, TupleAndProjection) {
  Rule rule = printed_back("let x = *; let t = (x,); source Concat((x, t[0])) {axis = 0}; target Concat((x, x)) {axis = 0};");
  EXPECT_EQ(count(rule, PatternKind::Tuple), 3U);
  EXPECT_EQ(count(rule, PatternKind::Projection), 1U);
  EXPECT_EQ(count(printed_back("let x = *; source (x, x)[any]; target x;"), AttrKind::Any), 1U);
}

TEST(PatternForm, VariadicAndInstance) {
  Rule rule = printed_back(R"(let x = *; let w1 = variable; let b1 = variable; let c = Conv(x, w1, b1);
    variadic v[i] from c, w1, _ min 3 { let w = variable {shape = w1.shape}; let b = variable; where b.rank == 1, w.rank == 4;
      yield Conv(x, w, b) {strides as c}; }
    source v; target variadic[i < v.length] { Conv(x, v[i].w, v[i].b) }; drop b1;)");
  const Pattern& variadic = rule.pattern(rule.source_outputs[0]);
  EXPECT_EQ(variadic.min_length, 3U);
  EXPECT_EQ(variadic.templates.size(), 3U);
  EXPECT_EQ(variadic.first[2], kNone);
  EXPECT_EQ(rule.pattern(variadic.operands[0]).conditions.size(), 2U);
  EXPECT_EQ(count(rule, PatternKind::Instance), 2U);
}

TEST(PatternForm, NestedVariadics) {
  Rule rule = printed_back(R"(let x = *;
    variadic outer[i] { let s = variable;
      variadic inner[j] { let w = variable {shape = (s.rank, j, i)}; yield MatMul(s, w); }
      yield Concat(inner) {axis = i}; }
    source Concat(outer) {axis = 0} + x;
    target Concat(variadic[i < outer.length] { Concat(variadic[j < outer[i].inner.length] {
             MatMul(outer[i].s, outer[i].inner[j].w) }) {axis = outer[i].inner[0].w.rank} }) {axis = 0} + x;)");
  PatternId outer = rule.pattern(rule.source_order.back()).operands[0];
  outer = rule.pattern(outer).operands[0];
  ASSERT_EQ(rule.pattern(outer).kind, PatternKind::Variadic);
  for (PatternId id : rule.source_order) {
    if (rule.pattern(id).name == Symbol("w")) {
      EXPECT_EQ(enclosing_variadics(rule, id).size(), 2U);
      EXPECT_EQ(enclosing_variadics(rule, id)[0], outer);
    }
  }
}

TEST(PatternForm, OperatorVariable) {
  Rule rule = printed_back("operator f elementwise; operator g commutative; let x = *; source f(g(x, x)); target f(g(x, x));");
  EXPECT_EQ(rule.pattern(rule.source_outputs[0]).trait, OpTrait::Elementwise);
  EXPECT_FALSE(rule.pattern(rule.source_outputs[0]).op);
}

TEST(PatternForm, AlternativeAndConditional) {
  Rule rule = printed_back("let x = *; source Neg(first(Relu(x), Sigmoid(x))); target if (x.rank == 2) x else Neg(x);");
  EXPECT_EQ(count(rule, PatternKind::Alternative), 1U);
  EXPECT_EQ(count(rule, PatternKind::Conditional), 1U);
}

TEST(AttrForm, EveryOne) {
  Rule rule = printed_back(R"(let x = *;
    attr shared = (1, any, x.rank, -x.rank, x.shape[0]) ++ tuple[i < 2](if (i == 0) 1 else sum[k <= i](k));
    source Transpose(x) {perm = shared}; target x;)");
  for (AttrKind kind : {AttrKind::Value, AttrKind::Any, AttrKind::Access, AttrKind::Unary, AttrKind::Binary, AttrKind::Tuple,
                        AttrKind::Project, AttrKind::Symbol, AttrKind::VarTuple, AttrKind::Reduce, AttrKind::Conditional}) {
    EXPECT_GE(count(rule, kind), 1U) << static_cast<int>(kind);
  }
}

TEST(AttrForm, OfEveryElement) {
  Rule rule = printed_back(
      "let x = *; let c = const; where x.rank == 2 and all[v in c](v >= 0 and v < x.rank); source x * c; target c * x;");
  EXPECT_EQ(count(rule, AttrKind::Each), 1U);
}

TEST(AttrForm, AxesOfARole) {
  Rule rule = printed_back("let x = *; axes x = (a, b 1..2); source Transpose(x) {perm = x.b ++ x.a}; target x;");
  EXPECT_EQ(count(rule, AttrKind::Axes), 4U);  // two of the layout's condition
}

// A product of conditions is written as it is read: `all`. Of numbers it stays a product.
TEST(AttrForm, AllAndProduct) {
  Rule rule = printed_back(R"(let x = *; let a = Transpose(x) {perm = any};
    where all[i < x.rank](a.perm[i] == i or not (i < 1)) and product[i < x.rank](x.shape[i]) == 4; source a; target x;)");
  EXPECT_EQ(print_attr(rule, rule.constraints[0]),
            "all[i < x.rank](a.perm[i] == i or not i < 1) and product[i < x.rank](x.shape[i]) == 4");
}

TEST(AttrForm, PrecedenceIsKept) {
  Rule rule = printed_back(R"(let x = *; let r = Relu(x);
    where (x.rank + 1) * 2 - (3 - x.rank) == -(x.rank) % 2 or not (x.rank == 1 and x.rank != 2) and x.rank // 2 > 0;
    source r; target x;)");
  EXPECT_EQ(print_attr(rule, rule.constraints[0]),
            "(x.rank + 1) * 2 - (3 - x.rank) == -x.rank % 2 or not (x.rank == 1 and x.rank != 2) and x.rank // 2 > 0");
}

TEST(RuleForm, RanksDropsAndExpectation) {
  Rule rule = printed_back("let x = *; let y = *; rank x 2..4; rank y 1; source x - y; target Neg(x); drop y; expect unsound;");
  EXPECT_EQ(rule.ranks.size(), 2U);
  EXPECT_EQ(rule.dropped.size(), 1U);
  EXPECT_EQ(rule.expectation, Expectation::Unsound);
}

TEST(Comments, StandWhereFloorDivisionCannot) {
  Rule rule = printed_back("// one\n let x = *; // two\n where x.rank // 2 == 1; source Relu(x); target x; // three\n");
  EXPECT_EQ(rule.attr(rule.attr(rule.constraints[0]).args[0]).binary, BinaryOp::FloorDiv);
}

}  // namespace
}  // namespace vouch
