// What no specification decides is not evaluated ahead of time: a float beyond the integers of a type, a power of integers that
// is too large. (x86 makes -2^31 of 3e9 as int32, ARM 2^31 - 1; numpy's power of integers wraps around, ONNX Runtime's is one of
// doubles.)
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "graph/op_table.h"
#include "rewrite/fold.h"

namespace vouch {
namespace {

class DecidedIntegers : public ::testing::Test {
 protected:
  // Is the call evaluated?
  bool folds(const char* op, const std::vector<Tensor>& operands, AttrDict attributes = {}) {
    Graph graph;
    std::vector<NodeId> nodes;
    for (const Tensor& operand : operands) {
      nodes.push_back(graph.add_parameter("", operand));
    }
    Diagnostics diagnostics;
    NodeId call = graph.add_call(*find_op(op), nodes, attributes, diagnostics);
    EXPECT_NE(call, kNoNode) << diagnostics.text();
    graph.add_output("y", call);
    fold_parameters(graph, {});
    return graph.has_value(graph.outputs()[0].node);
  }
  bool casts(double value, const char* to) {
    return folds("Cast", {Tensor::of_doubles(DType::Float32, {1}, {{value}})}, AttrDict({{Symbol("to"), AttrValue(to)}}));
  }
  static Tensor whole(DType dtype, std::int64_t value) { return Tensor::of_ints(dtype, {1}, std::vector<std::int64_t>{value}); }
};

TEST_F(DecidedIntegers, AFloatBeyondTheTypeIsLeft) {
  for (double value : {3e9, -3e9, 2147483648.0, static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
    EXPECT_FALSE(casts(value, "int32")) << value;
  }
  EXPECT_FALSE(casts(-1, "uint8"));
  EXPECT_FALSE(casts(256, "uint8"));
  EXPECT_FALSE(casts(9223372036854775808.0, "int64"));
}

TEST_F(DecidedIntegers, AFloatWithinTheTypeIsEvaluated) {
  for (double value : {2147483520.0, -2147483648.0, 0.75, -0.75}) {
    EXPECT_TRUE(casts(value, "int32")) << value;
  }
  EXPECT_TRUE(casts(255.5, "uint8"));
  EXPECT_TRUE(casts(-0.5, "uint8"));
  EXPECT_TRUE(casts(-9223372036854775808.0, "int64"));
  EXPECT_TRUE(casts(3e9, "float64"));
  EXPECT_TRUE(casts(static_cast<double>(NAN), "bool"));
}

TEST_F(DecidedIntegers, APowerThatIsTooLargeIsLeft) {
  EXPECT_FALSE(folds("Pow", {whole(DType::Int32, 50000), whole(DType::Int32, 2)}));
  EXPECT_FALSE(folds("Pow", {whole(DType::Int32, 0), whole(DType::Int32, -1)}));
  EXPECT_TRUE(folds("Pow", {whole(DType::Int32, 40000), whole(DType::Int32, 2)}));
}

TEST_F(DecidedIntegers, WhatWrapsAroundEverywhereIsEvaluated) {
  EXPECT_TRUE(folds("Mul", {whole(DType::Int32, 1 << 30), whole(DType::Int32, 4)}));
  EXPECT_TRUE(folds("Cast", {whole(DType::Int32, 300)}, AttrDict({{Symbol("to"), AttrValue("uint8")}})));
}

// A quantised number saturates; of NaN there is none.
TEST_F(DecidedIntegers, QuantisedNumbersSaturate) {
  auto quantised = [&](double value) {
    return folds("QuantizeLinear",
                 {Tensor::of_doubles(DType::Float32, {1}, {{value}}), Tensor::of_doubles(DType::Float32, {1}, {{1}})});
  };
  EXPECT_TRUE(quantised(1e9));
  EXPECT_FALSE(quantised(static_cast<double>(NAN)));
}

}  // namespace
}  // namespace vouch
