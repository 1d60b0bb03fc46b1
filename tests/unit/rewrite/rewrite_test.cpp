#include <gtest/gtest.h>

#include <cmath>

#include "../graph/added_call.h"
#include "../rule/rules_of.h"
#include "graph/order.h"
#include "rewrite/cleanup.h"
#include "rewrite/engine.h"
#include "rewrite/scope_match.h"

namespace vouch {
namespace {

class Build {
 public:
  NodeId input(const std::string& name, Extents extents) { return graph.add_input(name, Type::tensor(DType::Float32, extents)); }
  NodeId parameter(const std::string& name, Extents extents) {
    return graph.add_parameter(name, Tensor(DType::Float32, std::move(extents)));
  }
  NodeId call(const char* op, std::vector<NodeId> operands, AttrDict attributes = {}) {
    return added_call(graph, op, operands, attributes);
  }
  std::vector<std::string> operators() const {
    std::vector<std::string> names;
    for (NodeId node : reverse_post_order(graph)) {
      if (graph.kind(node) == NodeKind::Call) {
        names.emplace_back(op_def(graph.op(node)).name);
      }
    }
    return names;
  }
  Graph graph;
};

const char* const kFactorOut = R"gsl(rule factor "x*a + x*b is x*(a + b)" {
  let x = *;
  let a = *;
  let b = *;
  source x * a + x * b;
  target x * (a + b);
})gsl";

TEST(Rewrite, AppliesARuleOnce) {
  Build b;
  NodeId x = b.input("x", {2, 3});
  NodeId y = b.call("Add", {b.call("Mul", {x, b.parameter("a", {2, 3})}), b.call("Mul", {x, b.parameter("b", {2, 3})})});
  b.graph.add_output("y", y);
  RewriteResult result = rewrite(b.graph, rules_of(kFactorOut), {.admissions = all_unproven()});
  EXPECT_EQ(result.steps, 1U);
  EXPECT_EQ(b.operators(), (std::vector<std::string>{"Add", "Mul"}));
}

TEST(Bindings, KeepWhatEachNameStoodForFirst) {
  Bindings bindings;
  auto name = [](std::int64_t k) { return int_var("v" + std::to_string(k)); };
  constexpr std::int64_t kNames = 40;  // more than are listed
  for (int round = 0; round < 2; ++round) {
    for (std::int64_t k = 0; k < kNames; ++k) {
      EXPECT_EQ(bindings.find(name(k)), nullptr) << k;
      EXPECT_EQ(bindings.add(name(k), Term(k)), Term(k));
    }
    for (std::int64_t k = 0; k < kNames; ++k) {
      EXPECT_EQ(bindings.add(name(k), Term(k + 1)), Term(k));
      ASSERT_NE(bindings.find(name(k)), nullptr);
      EXPECT_EQ(*bindings.find(name(k)), Term(k));
    }
    bindings.clear();
  }
}

TEST(Rewrite, RulesMadeReadyServeManyGraphs) {
  std::vector<Rule> rules = rules_of(kFactorOut);
  const RuleSet ready(rules);
  for (Extents extents : {Extents{2, 3}, Extents{4}}) {
    Build b;
    NodeId x = b.input("x", extents);
    b.graph.add_output(
        "y", b.call("Add", {b.call("Mul", {x, b.parameter("a", extents)}), b.call("Mul", {x, b.parameter("b", extents)})}));
    EXPECT_EQ(rewrite(b.graph, ready, {.admissions = all_unproven()}).steps, 1U);
    EXPECT_EQ(b.operators(), (std::vector<std::string>{"Add", "Mul"}));
  }
}

// ONNX's float attributes are of float32: a model that says 0.1 holds the float32 nearest to it, and no other number.
TEST(Rewrite, ANumberForAFloatAttributeIsOfFloat32) {
  std::vector<Rule> rules = rules_of("rule tenth { let x = *; source LeakyRelu(x) {alpha = 0.1}; target Elu(x) {alpha = 0.3}; }");
  for (double alpha : {double{0.1F}, 0.1, double{std::nextafter(0.1F, 1.0F)}}) {
    Build b;
    NodeId x = b.input("x", {2, 3});
    b.graph.add_output("y", b.call("LeakyRelu", {x}, AttrDict({{Symbol("alpha"), AttrValue::of_float(alpha)}})));
    bool nearest = alpha == double{0.1F};
    EXPECT_EQ(rewrite(b.graph, rules, {.admissions = all_unproven()}).steps, nearest ? 1U : 0U) << alpha;
    NodeId y = b.graph.outputs()[0].node;
    EXPECT_EQ(*b.graph.attributes(y).find("alpha"), AttrValue::of_float(nearest ? double{0.3F} : alpha));
  }
}

TEST(Rewrite, MatchesCommutativeOperandsInEitherOrder) {
  Build b;
  NodeId x = b.input("x", {2, 3});
  NodeId y = b.call("Add", {b.call("Mul", {b.parameter("a", {2, 3}), x}), b.call("Mul", {x, b.parameter("b", {2, 3})})});
  b.graph.add_output("y", y);
  EXPECT_EQ(rewrite(b.graph, rules_of(kFactorOut), {.admissions = all_unproven()}).steps, 1U);
}

TEST(Rewrite, ConditionFourKeepsWhatOthersUse) {
  Build b;
  NodeId x = b.input("x", {2, 3});
  NodeId product = b.call("Mul", {x, b.parameter("a", {2, 3})});
  NodeId y = b.call("Add", {product, b.call("Mul", {x, b.parameter("b", {2, 3})})});
  b.graph.add_output("y", y);
  b.graph.add_output("product", product);
  EXPECT_EQ(rewrite(b.graph, rules_of(kFactorOut), {.admissions = all_unproven()}).steps, 0U);
}

TEST(Rewrite, ATypeThatDiffersIsRefused) {
  Build b;
  NodeId x = b.input("x", {2, 3});
  b.graph.add_output("y", b.call("Add", {x, b.parameter("a", {1, 2, 3})}));
  RewriteResult result = rewrite(b.graph, rules_of("rule wrong { let x = *; let a = *; source x + a; target x; drop a; }"),
                                 {.admissions = all_unproven()});
  EXPECT_EQ(result.steps, 0U);
  ASSERT_EQ(result.refusals.size(), 1U);
  EXPECT_NE(result.refusals[0].reason.find("float32[2, 3]"), std::string::npos);
}

const char* const kTwoProducts = R"gsl(rule two_products {
  let x = *;
  let a = variable;
  let b = variable;
  source MatMul(x, a), MatMul(x, b);
  target x * 1.0, x * 2.0;
  drop a, b;
})gsl";

TEST(Rewrite, FindsTwoOutputsOfOneOperand) {
  Build b;
  NodeId x = b.input("x", {3, 3});
  b.graph.add_output("p", b.call("MatMul", {x, b.parameter("a", {3, 3})}));
  b.graph.add_output("q", b.call("MatMul", {x, b.parameter("b", {3, 3})}));
  RewriteResult result = rewrite(b.graph, rules_of(kTwoProducts), {.admissions = all_unproven()});
  EXPECT_EQ(result.steps, 1U);
  EXPECT_EQ(b.operators(), (std::vector<std::string>{"Mul", "Mul"}));
}

TEST(Rewrite, SeveralOutputsNeverMakeACycle) {
  Build b;
  NodeId x = b.input("x", {3, 3});
  NodeId p = b.call("MatMul", {x, b.parameter("a", {3, 3})});
  NodeId q = b.call("MatMul", {x, b.call("Sub", {p, p})});
  b.graph.add_output("p", p);
  b.graph.add_output("q", q);
  auto rules =
      rules_of("rule any_two { let x = *; let a = *; let b = *; source MatMul(x, a), MatMul(x, b); target x + a, x + b; }");
  EXPECT_EQ(rewrite(b.graph, rules, {.admissions = all_unproven()}).steps, 0U);
}

TEST(Rewrite, RulesThatUndoEachOtherAreStoppedAndNamed) {
  Build b;
  NodeId x = b.input("x", {2});
  b.graph.add_output("y", b.call("Sub", {x, b.parameter("a", {2})}));
  auto rules = rules_of(R"gsl(rule swap_one { let x = *; let y = *; source x - y; target -(y - x); }
  rule drop_neg { let x = *; let y = *; source -(x - y); target y - x; })gsl");
  if (find_op("Neg")) {
    RewriteResult result = rewrite(b.graph, rules, {.admissions = all_unproven()});
    EXPECT_NE(result.cycle.find("swap_one"), std::string::npos);
  }
}

const char* const kVariadic = R"gsl(rule many_products {
  let x = *;
  let w1 = variable;
  let first = MatMul(x, w1);
  variadic branch[i] from first, w1 min 2 {
    let w = variable { shape = w1.shape };
    yield MatMul(x, w);
  }
  source branch;
  target variadic[i < branch.length] { x + branch[i].w };
})gsl";

TEST(Rewrite, TakesAsManyBranchesAsMatch) {
  Build b;
  NodeId x = b.input("x", {3, 3});
  for (int k = 0; k < 5; ++k) {
    std::string name = "w" + std::to_string(k);
    b.graph.add_output("y" + std::to_string(k), b.call("MatMul", {x, b.parameter(name, {3, 3})}));
  }
  b.graph.add_output("z", b.call("MatMul", {x, b.parameter("other", {3, 7})}));
  RewriteResult result = rewrite(b.graph, rules_of(kVariadic), {.admissions = all_unproven()});
  EXPECT_EQ(result.steps, 1U);
  EXPECT_EQ(b.operators(), (std::vector<std::string>{"Add", "Add", "Add", "Add", "Add", "MatMul"}));
  // Output k still is about weight k.
  for (std::size_t k = 0; k < 5; ++k) {
    NodeId sum = b.graph.outputs()[k].node;
    EXPECT_EQ(b.graph.name(b.graph.operands(sum)[1]), "w" + std::to_string(k));
  }
}

TEST(CleanUp, MergesEqualForms) {
  Build b;
  NodeId x = b.input("x", {2});
  b.graph.add_output("p", b.call("Add", {x, x}));
  b.graph.add_output("q", b.call("Add", {x, x}));
  EXPECT_EQ(merge_common_subexpressions(b.graph), 1U);
  EXPECT_EQ(b.graph.outputs()[0].node, b.graph.outputs()[1].node);
}

// The constant that is met first has no name of its own; calls on both are of one form then.
TEST(CleanUp, OfEqualConstantsOneThatHasANameStays) {
  Build b;
  NodeId x = b.input("x", {2});
  Tensor one = Tensor::of_doubles(DType::Float32, {}, std::vector<double>{1});
  NodeId unnamed = b.graph.add_constant(one);
  NodeId named = b.graph.add_parameter("one", one);
  b.graph.add_output("p", b.call("Add", {x, unnamed}));
  b.graph.add_output("q", b.call("Add", {x, named}));
  EXPECT_EQ(merge_common_subexpressions(b.graph), 2U);
  EXPECT_EQ(b.graph.outputs()[0].node, b.graph.outputs()[1].node);
  EXPECT_EQ(b.graph.operands(b.graph.outputs()[0].node)[1], named);
}

TEST(CleanUp, MergesNoDrawsOfRandomNumbers) {
  Build b;
  NodeId x = b.input("x", {2});
  NodeId ratio = b.graph.add_parameter("ratio", Tensor::of_doubles(DType::Float32, {}, std::vector<double>{0.5}));
  NodeId trains = b.graph.add_input("trains", Type::tensor(DType::Bool, Extents{}));
  for (const char* name : {"p", "q"}) {
    b.graph.add_output(name, b.call("Dropout", {x, ratio, trains}));
    b.graph.add_output(std::string(name) + "_off", b.call("Dropout", {x, ratio}));
  }
  EXPECT_EQ(merge_common_subexpressions(b.graph), 1U) << "the two that do not train";
  EXPECT_EQ(b.graph.outputs()[1].node, b.graph.outputs()[3].node);
  EXPECT_NE(b.graph.outputs()[0].node, b.graph.outputs()[2].node);
}

TEST(CleanUp, RemovesWhatNothingNeeds) {
  Build b;
  NodeId x = b.input("x", {2});
  b.call("Add", {b.call("Add", {x, x}), x});
  b.graph.add_output("y", x);
  EXPECT_EQ(remove_dead_nodes(b.graph), 2U);
  EXPECT_EQ(b.graph.live_count(), 1U);
}

}  // namespace
}  // namespace vouch
