#include "tensor/memory_budget.h"

#include <gtest/gtest.h>

#include "graph/eval.h"

namespace vouch {
namespace {

constexpr std::int64_t kEach = 4000 + MemoryBudget::kPerTensor;

Tensor made_for(const MemoryBudget& budget, std::int64_t count) {
  Charging charging(budget);
  return {DType::Float32, {count}};
}

TEST(MemoryBudget, CountsElementsUntilTheLastThatSharesThemLetsGo) {
  MemoryBudget budget(2 * kEach);
  std::optional<Tensor> first = made_for(budget, 1000);
  EXPECT_EQ(budget.held(), kEach);
  std::optional<Tensor> shared = first;
  EXPECT_EQ(budget.held(), kEach) << "one set of elements";
  first.reset();
  EXPECT_EQ(budget.held(), kEach) << "they are still there";
  EXPECT_TRUE(budget.suffices(4000));
  EXPECT_FALSE(budget.suffices(4001));
  shared.reset();
  EXPECT_EQ(budget.held(), 0);
}

TEST(MemoryBudget, ElementsThatAreChangedWhileSharedAreOthers) {
  MemoryBudget budget;
  Tensor first = made_for(budget, 2);
  Tensor second = first;
  second.set_int(0, 7);
  EXPECT_EQ(first.int_at(0), 0);
  EXPECT_EQ(second.int_at(0), 7);
  first.set_int(1, 9);
  EXPECT_EQ(first.int_at(1), 9);
  EXPECT_EQ(second.int_at(1), 0);
}

TEST(MemoryBudget, TensorsMayOutliveIt) {
  std::optional<Tensor> kept;
  {
    MemoryBudget budget;
    kept = made_for(budget, 10);
  }
  EXPECT_EQ(kept->count(), 10);
}

// x, and so many Relus one after the other, of a thousand floats each; the last is the output.
Graph chain(int calls, Diagnostics& diagnostics) {
  Graph graph;
  NodeId at = graph.add_input("x", Type::tensor(DType::Float32, Extents{1000}));
  for (int k = 0; k < calls; ++k) {
    at = graph.add_call(*find_op("Relu"), std::span(&at, 1), {}, diagnostics, "a chain");
  }
  graph.add_output("y", at);
  return graph;
}

TEST(MemoryBudget, AnEvaluationHoldsWhatIsStillReadAndInputsAreNotCharged) {
  Diagnostics diagnostics;
  Graph graph = chain(20, diagnostics);
  std::vector<Tensor> inputs{Tensor(DType::Float32, {1000})};
  RunOptions options;
  options.most_bytes = 2 * kEach;
  EXPECT_TRUE(eval_graph(graph, inputs, diagnostics, options).has_value()) << "an operand and a result";
  options.most_bytes = 2 * kEach - 1;
  EXPECT_FALSE(eval_graph(graph, inputs, diagnostics, options).has_value());
  ASSERT_EQ(diagnostics.all().size(), 1U);
  EXPECT_NE(diagnostics.all()[0].message.find("4000 bytes beside the 4256 that are held, more than 8511"), std::string::npos)
      << diagnostics.all()[0].message;
  options.most_bytes = kEach;
  Diagnostics none;
  EXPECT_TRUE(eval_graph(chain(1, none), inputs, none, options).has_value()) << "the input is not counted";
}

TEST(MemoryBudget, SumsOfMoreTermsThanAllowedAreNotBegun) {
  Graph graph;
  Diagnostics diagnostics;
  NodeId x = graph.add_input("x", Type::tensor(DType::Float32, Extents{30, 40}));
  NodeId w = graph.add_input("w", Type::tensor(DType::Float32, Extents{40, 50}));
  std::vector<NodeId> both{x, w};
  graph.add_output("y", graph.add_call(*find_op("MatMul"), both, {}, diagnostics, "a product"));
  std::vector<Tensor> inputs{Tensor(DType::Float32, {30, 40}), Tensor(DType::Float32, {40, 50})};
  RunOptions options;
  options.most_terms = 30 * 40 * 50;
  EXPECT_TRUE(eval_graph(graph, inputs, diagnostics, options).has_value());
  options.most_terms = 30 * 40 * 50 - 1;
  EXPECT_FALSE(eval_graph(graph, inputs, diagnostics, options).has_value());
  ASSERT_EQ(diagnostics.all().size(), 1U);
  EXPECT_NE(diagnostics.all()[0].message.find("60000 terms"), std::string::npos) << diagnostics.all()[0].message;
}

}  // namespace
}  // namespace vouch
