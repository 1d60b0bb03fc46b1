#include "driver/fold_difference.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "graph/op_table.h"
#include "rewrite/fold.h"

namespace vouch {
namespace {

class Fold : public ::testing::Test {
 protected:
  NodeId number(double value) { return graph_.add_parameter("", Tensor::of_doubles(DType::Float32, {1}, {{value}})); }
  NodeId call(const char* op, std::vector<NodeId> operands) {
    Diagnostics diagnostics;
    NodeId made = graph_.add_call(*find_op(op), operands, {}, diagnostics);
    EXPECT_NE(made, kNoNode) << diagnostics.text();
    return made;
  }
  // What is said of the folds of all that the output needs, and the number that came out.
  std::pair<std::string, double> folded(NodeId output) {
    graph_.add_output("y", output);
    FoldDifference difference;
    fold_parameters(graph_, {}, [&](const Graph& graph, NodeId from, NodeId to) { difference.add(graph, from, to); });
    NodeId left = graph_.outputs()[0].node;
    return {difference.text(), graph_.has_value(left) ? graph_.value(left).double_at(0) : NAN};
  }

  Graph graph_;
};

// The relative difference by long doubles, which hold products of two and three floats to 2^-64.
std::string says(int calls, long double relative) {
  return fmt::format(
      "{} call{}, evaluated in double and rounded: at most {:.2g} of their tensor's largest element from what is exact", calls,
      calls == 1 ? "" : "s", static_cast<double>(relative));
}

TEST_F(Fold, OfOneProduct) {
  auto [text, found] = folded(call("Mul", {number(0.1F), number(0.3F)}));
  EXPECT_EQ(text, says(1, std::fabs(found / (static_cast<long double>(0.1F) * 0.3F) - 1)));
}

// Errors add up: each fold is compared with what the model's own numbers give.
TEST_F(Fold, OfAChain) {
  NodeId x = number(0.1F);
  float kept = 0.1F;
  long double exact = 0.1F;
  long double most = 0;
  for (int k = 0; k < 9; ++k) {
    x = call("Mul", {x, number(1.1F)});
    kept *= 1.1F;
    exact *= 1.1F;
    most = std::max(most, std::fabs(kept / exact - 1));
  }
  auto [text, found] = folded(x);
  EXPECT_EQ(found, kept);
  EXPECT_EQ(text, says(9, most));
}

TEST_F(Fold, ThatIsExact) {
  auto [text, found] = folded(call("Mul", {number(0.5F), number(0.3F)}));
  EXPECT_EQ(text, "1 call, evaluated in double and rounded: each is exact");
}

TEST_F(Fold, OfWhatIsNoNumberIsNotMeasuredNorWhatFollows) {
  auto [text, found] = folded(call("Mul", {call("Div", {number(1), number(0)}), number(0.3F)}));
  EXPECT_TRUE(text.starts_with("2 calls, evaluated in double and rounded: not measured; 2 not measured (")) << text;
}

TEST_F(Fold, OfNothing) {
  auto [text, found] = folded(number(1));
  EXPECT_EQ(text, "none");
}

}  // namespace
}  // namespace vouch
