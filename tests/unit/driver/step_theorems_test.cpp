#include "driver/step_theorems.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "driver/rule_proofs.h"
#include "graph_call.h"

namespace vouch {
namespace {

// `after`: makes what takes the place of the output, of the input and of the weights, where `before` has both.
StepRegions step(const std::function<NodeId(Graph&, NodeId, NodeId)>& source,
                 const std::function<NodeId(Graph&, NodeId, NodeId)>& target, std::size_t times = 1) {
  Graph before;
  NodeId x = before.add_input("x", Type::tensor(DType::Float32, Extents{2, 3}));
  NodeId w = before.add_parameter("w", Tensor::of_doubles(DType::Float32, {3}, {{0.5, -1, 4}}));
  NodeId first = static_cast<NodeId>(before.id_limit());
  NodeId output = source(before, x, w);
  Match match;
  match.outputs = {output};
  for (NodeId node = first; node < before.id_limit(); ++node) {
    match.inside.push_back(node);
  }
  Graph after = before;
  Application application{{target(after, x, w)}, {}};
  StepRegions out;
  for (std::size_t k = 0; k < times; ++k) {
    out.add(before, after, {0, nullptr, &match, &application, nullptr, ""}, "rule");
  }
  return out;
}

NodeId twice(Graph& graph, NodeId x, NodeId w) {
  return call_in(graph, "Relu", {call_in(graph, "Relu", {call_in(graph, "Mul", {x, w})})});
}
NodeId once(Graph& graph, NodeId x, NodeId w) { return call_in(graph, "Relu", {call_in(graph, "Mul", {w, x})}); }

TEST(StepTheorems, AStepIsWhatBothGraphsHave) {
  StepRegions steps = step(twice, once, 3);
  ASSERT_EQ(steps.regions().size(), 1U);  // of three steps that say the same
  EXPECT_EQ(steps.regions()[0].steps.size(), 3U);
  CoqRule theorem = step_theorem(steps.regions()[0]);
  ASSERT_FALSE(theorem.text.empty()) << theorem.reason;
  Diagnostics diagnostics;
  auto library = find_coq_library(diagnostics);
  ASSERT_TRUE(library) << diagnostics.text();
  CoqAnswer answer = verify_rule_proof(*library, theorem, {});
  EXPECT_EQ(answer.word, CoqWord::Holds) << answer.message << theorem.text;
}

// Whatever a rule claims: another result is no theorem.
TEST(StepTheorems, AnotherResultHasNone) {
  auto other = [](Graph& graph, NodeId x, NodeId w) { return call_in(graph, "Mul", {w, x}); };
  StepRegions steps = step(twice, other);
  EXPECT_TRUE(step_theorem(steps.regions()[0]).text.empty());
  EXPECT_FALSE(step_theorem(steps.regions()[0]).reason.empty());
}

TEST(StepTheorems, ANameStandsForTheSameTensorOnBothSides) {
  auto difference = [](Graph& graph, NodeId x, NodeId w) { return call_in(graph, "Sub", {x, w}); };
  auto turned = [](Graph& graph, NodeId x, NodeId w) { return call_in(graph, "Sub", {w, x}); };
  EXPECT_TRUE(step_theorem(step(difference, turned).regions()[0]).text.empty());
  EXPECT_FALSE(step_theorem(step(difference, difference).regions()[0]).text.empty());
}

// Elements of weights are looked at only where it takes them.
TEST(StepTheorems, FewConstantsAreShownAtLast) {
  auto product = [](Graph& graph, NodeId x, NodeId w) { return call_in(graph, "Mul", {x, w}); };
  auto folded = [](Graph& graph, NodeId x, NodeId) {
    return call_in(graph, "Mul", {x, graph.add_parameter("", Tensor::of_doubles(DType::Float32, {3}, {{0.5, -1, 4}}))});
  };
  StepRegions steps = step(product, folded);
  EXPECT_FALSE(step_theorem(steps.regions()[0]).text.empty()) << step_theorem(steps.regions()[0]).reason;
}

TEST(StepTheorems, AStepIsProvenWhenAllOfItIs) {
  StepsFound found;
  found.rules = {"a", "b"};
  found.regions = {{{0, 1}, {}, {}}, {{1}, {}, {}}};
  found.answers.resize(2);
  found.answers[0].word = CoqWord::Holds;
  EXPECT_EQ(found.proven(), 1U);
  EXPECT_EQ(found.why_not(0), "");
  EXPECT_EQ(found.why_not(1), "Coq was not asked");
}

}  // namespace
}  // namespace vouch
