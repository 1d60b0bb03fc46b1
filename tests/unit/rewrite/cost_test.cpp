// What a rewrite has to be worth: the cheapest of several fires, none that makes the model cost more, and rules of one phase
// wait for those of another.
#include "rewrite/cost.h"

#include <gtest/gtest.h>

#include "../graph/added_call.h"
#include "graph/order.h"
#include "rewrite/pipeline.h"
#include "rewrite/size_facts.h"
#include "rule/parse.h"

namespace vouch {
namespace {

class CostTest : public ::testing::Test {
 protected:
  NodeId input(const std::string& name, Extents extents) { return graph_.add_input(name, Type::tensor(DType::Float32, extents)); }
  NodeId parameter(const std::string& name, Extents extents) {
    return graph_.add_parameter(name, Tensor(DType::Float32, std::move(extents)));
  }
  NodeId call(const char* op, std::vector<NodeId> operands) { return added_call(graph_, op, operands); }
  // Optimises by these rules, proven or not.
  OptimizeResult run(const std::string& text, bool allow_cost = false) {
    Diagnostics diagnostics;
    auto rules = parse_rules(std::make_shared<Source>("test.gsl", text), diagnostics);
    EXPECT_TRUE(rules.has_value()) << diagnostics.text();
    OptimizeOptions options;
    options.admissions = all_unproven();
    options.fold = false;
    options.allow_cost = allow_cost;
    return optimize(graph_, *rules, options, &trace_);
  }
  std::string calls() const {
    std::string names;
    for (NodeId node : reverse_post_order(graph_)) {
      if (graph_.kind(node) == NodeKind::Call) {
        names += (names.empty() ? "" : " ") + std::string(op_def(graph_.op(node)).name);
      }
    }
    return names;
  }

  Graph graph_;
  Trace trace_;
};

TEST_F(CostTest, CountsCallsElementsAndProducts) {
  NodeId x = input("x", {2, 3});
  NodeId product = call("MatMul", {x, parameter("w", {3, 5})});
  Cost cost = CostModel().of_node(graph_, product);
  EXPECT_EQ(cost.calls, 1);
  EXPECT_EQ(cost.elements, 2 * 3 + 3 * 5 + 2 * 5);
  EXPECT_EQ(cost.products, 2 * 5 * 3);
  EXPECT_EQ(CostModel().of_node(graph_, call("Add", {x, x})).elements, 2 * 3 * 2) << "an operand is read once";
}

// Hashes read all parameters: a trace that nobody will replay does without.
TEST_F(CostTest, ATraceHasHashesOnlyWhereTheyAreWanted) {
  const std::string text = "rule neg_neg { let x = *; source Neg(Neg(x)); target x; }";
  Graph before;
  for (bool hashed : {true, false}) {
    graph_ = before;
    trace_ = Trace{{}, {}, hashed};
    graph_.add_output("y", call("Abs", {call("Neg", {call("Neg", {input("x", {2})})})}));
    EXPECT_EQ(run(text).rewriting.steps, 1U);
    ASSERT_FALSE(trace_.steps.empty());
    EXPECT_EQ(trace_.end, hashed ? state_hash(graph_) : "");
    EXPECT_EQ(std::get<TraceStep>(trace_.steps[0]).rule_hash.empty(), !hashed);
  }
}

TEST_F(CostTest, WhatDependsOnParametersAloneIsFree) {
  NodeId sum = call("Exp", {call("Neg", {parameter("w", {3})})});
  EXPECT_EQ(CostModel().of_node(graph_, sum).total(), 0);
  EXPECT_GT(CostModel().of_node(graph_, call("Exp", {input("x", {3})})).total(), 0);
}

TEST_F(CostTest, OfSeveralRulesTheCheapestFires) {
  graph_.add_output("y", call("Neg", {call("Relu", {input("x", {4})})}));
  run("rule dear { let x = *; source Neg(Relu(x)); target Abs(Exp(x)); }\n"
      "rule cheap { let x = *; source Neg(Relu(x)); target Tanh(x); }\n");
  EXPECT_EQ(calls(), "Tanh");
}

TEST_F(CostTest, WhatCostsMoreNeedsPermission) {
  graph_.add_output("y", call("Relu", {input("x", {4})}));
  const char* rule = "rule dear { let x = *; source Relu(x); target Abs(Exp(x)); }\n";
  OptimizeResult refused = run(rule);
  EXPECT_EQ(calls(), "Relu");
  ASSERT_EQ(refused.rewriting.refusals.size(), 1U);
  EXPECT_NE(refused.rewriting.refusals[0].reason.find("--allow-cost"), std::string::npos) << refused.rewriting.refusals[0].reason;
  run(rule, true);
  EXPECT_EQ(calls(), "Exp Abs");
}

TEST_F(CostTest, WorkIsNotMovedToRunTime) {
  NodeId x = input("x", {1, 4});
  graph_.add_output("y", call("Add", {x, call("Neg", {parameter("w", {1, 4})})}));
  run("rule later { let x = *; let w = variable; source x + Neg(w); target Neg(Neg(x) + w); }\n");
  EXPECT_EQ(calls(), "Neg Add");
}

TEST_F(CostTest, ARuleSavesWhatItPromises) {
  graph_.add_output("y", call("Relu", {input("x", {4})}));
  OptimizeResult result = run("rule same { let x = *; source Relu(x); target Abs(x); saves calls; }\n");
  EXPECT_EQ(calls(), "Relu");
  ASSERT_EQ(result.rewriting.refusals.size(), 1U);
}

TEST_F(CostTest, LateRulesWait) {
  NodeId x = input("x", {4});
  graph_.add_output("y", call("Neg", {call("Relu", {x})}));
  run("rule merge { let x = *; source Relu(x); target Exp(x); phase late; }\n"
      "rule fold { let x = *; source Neg(Relu(x)); target Tanh(x); }\n");
  EXPECT_EQ(calls(), "Tanh");
}

TEST_F(CostTest, ADetourThatSavesNothingLeavesNoTrace) {
  graph_.add_output("y", call("Relu", {input("x", {4})}));
  std::string before = state_hash(graph_);
  OptimizeResult result =
      run("rule there { let x = *; source Relu(x); target Abs(x); phase enter; }\n"
          "rule back { let x = *; source Abs(x); target Relu(x); phase leave; }\n");
  EXPECT_EQ(state_hash(graph_), before);
  EXPECT_FALSE(result.not_kept.empty());
  EXPECT_EQ(result.rewriting.fired[0], 0U);
  EXPECT_TRUE(trace_.steps.empty());
}

TEST_F(CostTest, ADetourThatSavesIsKept) {
  graph_.add_output("y", call("Relu", {call("Relu", {input("x", {4})})}));
  run("rule there { let x = *; source Relu(x); target Abs(x); phase enter; }\n"
      "rule once { let x = *; source Abs(Abs(x)); target Abs(x); }\n"
      "rule back { let x = *; source Abs(x); target Relu(x); phase leave; }\n");
  EXPECT_EQ(calls(), "Relu");
}

TEST_F(CostTest, WhatIsSettledIsNotTriedAgain) {
  const std::string rule = "rule neg_neg { let x = *; source Neg(Neg(x)); target x; }";
  graph_.add_output("y", call("Abs", {call("Neg", {call("Neg", {input("x", {2})})})}));
  EXPECT_EQ(run(rule).rewriting.sweeps, 3U) << "one that fires, one that does not, one with the late rules";
  EXPECT_EQ(run(rule).rewriting.sweeps, 2U);
}

TEST_F(CostTest, WhatAPassChangedIsTriedAgain) {
  NodeId x = input("x", {4});
  graph_.add_output("y", call("Add", {call("Neg", {x}), call("Abs", {x})}));
  run("rule alike { let x = *; source Abs(x); target Neg(x); }\n"
      "rule twice { let x = *; let n = Neg(x); source Add(n, n); target Exp(x); }\n");
  EXPECT_EQ(calls(), "Exp") << "both are one call once equal ones are merged";
}

TEST_F(CostTest, RefusalsAreThoseOfTheLastSweep) {
  graph_.add_output("y", call("Relu", {call("Abs", {call("Abs", {input("x", {4})})})}));
  Diagnostics diagnostics;
  auto rules = parse_rules(std::make_shared<Source>("test.gsl",
                                                    "rule dear { let x = *; source Relu(x); target Relu(Exp(x)); }\n"
                                                    "rule gone { let x = *; source Abs(Abs(x)); target Abs(x); }\n"
                                                    "rule dearer { let x = *; source Abs(x); target Abs(Exp(x)); }\n"),
                           diagnostics);
  ASSERT_TRUE(rules.has_value()) << diagnostics.text();
  RewriteOptions options{.apply = {.worth = Worth::NoMoreThanNow}};
  options.admissions = all_unproven();
  RewriteResult result = rewrite(graph_, *rules, options);
  EXPECT_EQ(result.steps, 1U);
  ASSERT_EQ(result.refusals.size(), 2U);
  for (const Refusal& refusal : result.refusals) {
    EXPECT_EQ(refusal.count, 1U) << refusal.reason << ": the inner of two calls is no longer there";
  }
}

TEST_F(CostTest, RefusedTargetsLeaveNoIds) {
  graph_.add_output("y", call("Relu", {input("x", {4})}));
  std::size_t ids = graph_.id_limit();
  run("rule dear { let x = *; source Relu(x); target Abs(Exp(x)); }\n");
  EXPECT_EQ(graph_.id_limit(), ids);
}

TEST(SizeFactsTest, BoundsQuotientsOfSizes) {
  KnownSizes facts;
  Term n = int_var(Symbol("n"));
  EXPECT_TRUE(facts.hold(ge(floor_div(n - 1, 2) + 1, 1)));
  EXPECT_TRUE(facts.hold(ge(floor_div(floor_div(n - 1, 2), 2) + 1, 1)));
  EXPECT_FALSE(facts.hold(ge(floor_div(n - 2, 2) + 1, 1))) << "0 for n = 1";
  EXPECT_FALSE(facts.hold(ge(n - 2, 0)));
  EXPECT_TRUE(facts.hold(ge(n * int_var(Symbol("m")) - n, 0)));
}

// What a broadcast gives where either size may be 1, and a slice up to the size itself.
TEST(SizeFactsTest, BoundsChoices) {
  KnownSizes facts;
  Term n = int_var(Symbol("n"));
  Term sliced = int_max(int_min(int_select(ge(n, 0), n, n + 10), 10), 0);
  EXPECT_TRUE(facts.hold(ge(sliced, 1)));
  EXPECT_TRUE(facts.hold(ge(int_select(eq(n, 1), sliced, n), 1)));
  EXPECT_FALSE(facts.hold(ge(int_select(eq(n, 1), sliced, n), 2)));
  EXPECT_FALSE(facts.hold(ge(int_select(eq(n, 5), n - 1, n), 1))) << "either may be taken";
  EXPECT_FALSE(facts.hold(ge(int_select(lt(n, 0), n, n - 1), 1))) << "what is taken is 0 for n = 1";
}

// n >= 11 where windows of 5, and then of 3 fit, three and two steps apart.
TEST(SizeFactsTest, TakesQuotientsOutOfWhatIsAssumed) {
  Graph graph;
  Term n = int_var(Symbol("n"));
  NodeId row = graph.add_input("x", Type::tensor(DType::Float32, {Term(1), Term(3), n}));
  Diagnostics diagnostics;
  for (auto [kernel, stride] : {std::pair<std::int64_t, std::int64_t>{5, 3}, {3, 2}}) {
    AttrDict window({{Symbol("kernel_shape"), AttrValue(AttrTuple{AttrValue(kernel)})},
                     {Symbol("strides"), AttrValue(AttrTuple{AttrValue(stride)})}});
    row = graph.add_call(*find_op("MaxPool"), std::vector<NodeId>{row}, window, diagnostics);
    ASSERT_NE(row, kNoNode) << diagnostics.text();
  }
  KnownSizes facts(graph);
  EXPECT_TRUE(facts.hold(ge(graph.type(row).extents()[2], 1)));
  EXPECT_FALSE(facts.hold(ge(graph.type(row).extents()[2], 2)));
  EXPECT_TRUE(facts.hold(ge(n, 11)));
  EXPECT_FALSE(facts.hold(ge(n, 12)));
}

TEST(SizeFactsTest, TakesWhatTheGraphAssumes) {
  Graph graph;
  Term n = int_var(Symbol("n"));
  NodeId x = graph.add_input("x", Type::tensor(DType::Float32, {Term(1), Term(3), n, Term(8)}));
  Diagnostics diagnostics;
  AttrDict window({{Symbol("kernel_shape"), AttrValue(AttrTuple{AttrValue(std::int64_t{3}), AttrValue(std::int64_t{3})})}});
  NodeId pooled = graph.add_call(*find_op("MaxPool"), std::vector<NodeId>{x}, window, diagnostics);
  ASSERT_NE(pooled, kNoNode) << diagnostics.text();
  Term height = graph.type(pooled).extents()[2];
  EXPECT_TRUE(KnownSizes(graph).hold(ge(height, 1))) << "the window fits, so there is a row";
  EXPECT_FALSE(KnownSizes(graph).hold(ge(height, 2)));
  EXPECT_FALSE(KnownSizes().hold(ge(height, 1)));
}

}  // namespace
}  // namespace vouch
