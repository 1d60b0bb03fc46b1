// Reductions, products and normalisations on values worked out by hand.
#include "calls.h"

namespace vouch {
namespace {

TEST(Product, MatMulBroadcastsBatchesAndDropsVectorAxes) {
  expect_values(call_op("MatMul", {counting({2, 2}), counting({2, 1})}), {2, 1}, {5, 11});
  expect_values(call_op("MatMul", {counting({2}), counting({2, 2})}), {2}, {7, 10});
  expect_values(call_op("MatMul", {counting({2, 2}), counting({2})}), {2}, {5, 11});
  expect_values(call_op("MatMul", {counting({2}), counting({2})}), {}, {5});
  expect_values(call_op("MatMul", {counting({2, 1, 1}), counting({1, 1, 2})}), {2, 1, 2}, {1, 2, 2, 4});
  expect_refused(call_op("MatMul", {counting({2, 3}), counting({2, 3})}), "one size");
}

TEST(Product, GemmScalesAndTransposes) {
  Attributes attributes{{"transA", 1}, {"alpha", number(2)}, {"beta", number(0.5)}};
  // A' = 1 3 / 2 4; A' * (1, 2) = 7, 10
  expect_values(call_op("Gemm", {counting({2, 2}), floats({2, 1}, {1, 2}), floats({1}, {8})}, attributes), {2, 1}, {18, 24});
  expect_values(call_op("Gemm", {counting({1, 2}), counting({2, 2})}, {{"transB", 1}}), {1, 2}, {5, 11});
}

TEST(Product, DenseAndBias) {
  expect_values(call_op("dense", {counting({1, 2}), counting({2, 2})}), {1, 2}, {5, 11});
  expect_values(call_op("bias_add", {counting({2, 2}), floats({2}, {10, 20})}), {2, 2}, {11, 22, 13, 24});
  expect_values(call_op("bias_add", {counting({2, 2}), floats({2}, {10, 20})}, {{"axis", 0}}), {2, 2}, {11, 12, 23, 24});
}

TEST(Product, DotGeneralNamesItsAxes) {
  Attributes attributes{{"lhs_batch_dimensions", tuple({0})},
                        {"rhs_batch_dimensions", tuple({1})},
                        {"lhs_contracting_dimensions", tuple({1})},
                        {"rhs_contracting_dimensions", tuple({0})}};
  // y[b, n] = sum(k) x[b, k] * w[k, b, n]
  expect_values(call_op("dot_general", {counting({2, 2}), counting({2, 2, 1})}, attributes), {2, 1}, {7, 22});
  attributes[3].second = tuple({1});
  expect_refused(call_op("dot_general", {counting({2, 2}), counting({2, 2, 1})}, attributes), "named twice");
}

TEST(Product, EinsumReadsItsEquation) {
  auto einsum = [](const std::string& equation, std::vector<Tensor> items) {
    return call_op("Einsum", {std::move(items)}, {{"equation", text(equation)}});
  };
  expect_values(einsum("ij,jk->ik", {counting({2, 2}), counting({2, 1})}), {2, 1}, {5, 11});
  expect_values(einsum("ii->i", {counting({2, 2})}), {2}, {1, 4});
  expect_values(einsum("ij->", {counting({2, 2})}), {}, {10});
  expect_values(einsum("ba", {counting({1, 2})}), {2, 1}, {1, 2});
  expect_values(einsum("...i, ...i -> ...", {counting({2, 2}), counting({2})}), {2}, {5, 11});
  expect_refused(einsum("i?->i", {counting({2})}), "no subscript");
  expect_refused(einsum("i,j->ij", {counting({2})}), "2 subscripts");
}

TEST(Reduce, OverAxesOrAll) {
  Tensor x = counting({2, 3});
  expect_values(call_op("ReduceSum", {x, list({-1})}), {2, 1}, {6, 15});
  expect_values(call_op("ReduceSum", {x, list({0})}, {{"keepdims", 0}}), {3}, {5, 7, 9});
  expect_values(call_op("ReduceSum", {x}), {1, 1}, {21});
  expect_values(call_op("ReduceSum", {x}, {{"noop_with_empty_axes", 1}}), {2, 3}, {1, 2, 3, 4, 5, 6});
  expect_values(call_op("ReduceMean", {x, list({1})}), {2, 1}, {2, 5});
  expect_values(call_op("ReduceProd", {x, list({1})}), {2, 1}, {6, 120});
  expect_values(call_op("ReduceMax", {x, list({0, 1})}, {{"keepdims", 0}}), {}, {6});
  expect_values(call_op("ReduceMin", {x, list({0})}), {1, 3}, {1, 2, 3});
  expect_values(call_op("reduce_sum", {x}, {{"axes", tuple({0})}}), {3}, {5, 7, 9});
  expect_refused(call_op("ReduceSum", {x, list({2})}), "out of range");
}

// ONNX: the reduction does nothing then, but what is done before and after it is done. ONNX Runtime computes the same.
TEST(Reduce, OverNoAxisOfEachElement) {
  Tensor x = floats({2}, {-3, 4});
  const auto none = [&](const char* op) { return call_op(op, {x}, {{"noop_with_empty_axes", 1}, {"keepdims", 0}}); };
  for (const char* op : {"ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceLogSumExp"}) {
    expect_values(none(op), {2}, {-3, 4});
  }
  expect_values(call_op("ReduceLogSumExp", {floats({}, {-3})}), {}, {-3});
  expect_values(none("ReduceL1"), {2}, {3, 4});
  expect_values(none("ReduceL2"), {2}, {3, 4});
  expect_values(none("ReduceSumSquare"), {2}, {9, 16});
  expect_values(call_op("ReduceLogSum", {floats({1}, {1})}, {{"noop_with_empty_axes", 1}}), {1}, {0});
}

TEST(Reduce, IntegersAverageTowardsZero) { expect_values(call_op("ReduceMean", {list({-1, -2}), list({0})}), {1}, {-1}); }

TEST(Reduce, ExtremaNeedElements) {
  Tensor empty = floats({2, 0}, {});
  expect_values(call_op("ReduceSum", {empty, list({1})}), {2, 1}, {0, 0});
  expect_values(call_op("ReduceProd", {empty, list({1})}), {2, 1}, {1, 1});
  expect_refused(call_op("ReduceMax", {empty, list({1})}), "empty");
  expect_refused(call_op("ReduceMean", {empty, list({1})}), "empty");
}

TEST(Reduce, NormsAndLogarithms) {
  Tensor x = floats({2}, {3, -4});
  expect_values(call_op("ReduceL1", {x}), {1}, {7});
  expect_values(call_op("ReduceL2", {x}), {1}, {5});
  expect_values(call_op("ReduceSumSquare", {x}), {1}, {25});
  expect_values(call_op("ReduceLogSum", {floats({2}, {1, 1})}), {1}, {0.6931471806});
  expect_values(call_op("ReduceLogSumExp", {floats({2}, {1000, 1000})}), {1}, {1000.6931471806}, 1e-3);
}

TEST(Reduce, PositionsOfExtrema) {
  Tensor x = floats({2, 3}, {1, 5, 5, 0, 0, 2});
  expect_values(call_op("ArgMax", {x}, {{"axis", 1}}), {2, 1}, {1, 2});
  expect_values(call_op("ArgMax", {x}, {{"axis", -1}, {"select_last_index", 1}, {"keepdims", 0}}), {2}, {2, 2});
  expect_values(call_op("ArgMin", {x}, {{"axis", 1}}), {2, 1}, {0, 0});
}

TEST(Reduce, RunningSums) {
  Tensor x = counting({3});
  auto sum = [&](std::int64_t exclusive, std::int64_t reverse) {
    return call_op("CumSum", {x, ints({}, {0})}, {{"exclusive", exclusive}, {"reverse", reverse}}).values();
  };
  EXPECT_EQ(sum(0, 0), (Values{1, 3, 6}));
  EXPECT_EQ(sum(1, 0), (Values{0, 1, 3}));
  EXPECT_EQ(sum(0, 1), (Values{6, 5, 3}));
  EXPECT_EQ(sum(1, 1), (Values{5, 3, 0}));
}

TEST(Softmax, OfOneAxis) {
  // exp(0) : exp(log 3) = 1 : 3, shifted by 1000 without overflow
  Tensor x = floats({1, 2}, {1000, 1001.0986122887});
  expect_values(call_op("Softmax", {x}), {1, 2}, {0.25, 0.75}, 1e-4);
  expect_values(call_op("LogSoftmax", {x}), {1, 2}, {-1.3862943611, -0.2876820724}, 1e-4);
  expect_values(call_op("Softmax", {counting({2, 1})}, {{"axis", -1}}), {2, 1}, {1, 1});
  expect_values(call_op("Hardmax", {floats({2, 2}, {1, 1, 0, 2})}), {2, 2}, {1, 0, 0, 1});
}

TEST(Normalise, BatchAtInferenceAndTraining) {
  Tensor x = floats({2, 1, 1}, {1, 5});
  std::vector<Operand> operands{x, floats({1}, {2}), floats({1}, {10}), floats({1}, {3}), floats({1}, {4})};
  expect_values(call_op("BatchNormalization", operands, {{"epsilon", number(0)}}), {2, 1, 1}, {8, 12});
  Attributes training{{"training_mode", 1}, {"epsilon", number(0)}, {"momentum", number(0.5)}};
  expect_values(call_op("BatchNormalization", operands, training), {2, 1, 1}, {8, 12});
  expect_values(call_op("BatchNormalizationMean", operands, training), {1}, {3});
  expect_values(call_op("BatchNormalizationVariance", operands, training), {1}, {4});
  operands[4] = floats({1}, {0.25});
  expect_values(call_op("BatchNormalization", operands, {{"epsilon", number(0)}}), {2, 1, 1}, {2, 18});
  expect_values(call_op("BatchNormalizationVariance", operands, training), {1}, {2.125});
}

TEST(Normalise, BatchNormSwitchesAndAxis) {
  std::vector<Operand> operands{floats({1, 2}, {1, 5}), floats({2}, {2, 2}), floats({2}, {10, 10}), floats({2}, {3, 3}),
                                floats({2}, {4, 4})};
  Attributes attributes{{"epsilon", number(0)}, {"axis", -1}};
  Called all = call_op("batch_norm", operands, attributes);
  expect_values(all, {1, 2}, {8, 12});
  EXPECT_EQ(all.values(1), (Values{3, 3}));
  EXPECT_EQ(all.values(2), (Values{4, 4}));
  attributes.emplace_back("scale", 0);
  attributes.emplace_back("center", 0);
  expect_values(call_op("batch_norm", operands, attributes), {1, 2}, {-1, 1});
}

TEST(Normalise, LayersFromAnAxisOn) {
  Tensor x = floats({2, 2}, {1, 3, 10, 30});
  std::vector<Operand> operands{x, floats({2}, {1, 2}), floats({2}, {0, 5})};
  expect_values(call_op("LayerNormalization", operands, {{"epsilon", number(0)}}), {2, 2}, {-1, 7, -1, 7});
  expect_values(call_op("LayerNormalizationMean", operands), {2, 1}, {2, 20});
  expect_values(call_op("LayerNormalizationInvStdDev", operands, {{"epsilon", number(0)}}), {2, 1}, {1, 0.1});
  // Over both axes: mean 11, variance (100 + 64 + 1 + 361) / 4 = 131.5
  double d = 1 / std::sqrt(131.5);
  expect_values(call_op("LayerNormalization", {x, floats({2, 2}, {1, 1, 1, 1})}, {{"epsilon", number(0)}, {"axis", 0}}), {2, 2},
                {-10 * d, -8 * d, -d, 19 * d});
  expect_values(call_op("layer_norm", operands, {{"epsilon", number(0)}}), {2, 2}, {-1, 7, -1, 7});
}

TEST(Normalise, InstancesAndMoments) {
  expect_values(call_op("InstanceNormalization", {floats({1, 2, 2}, {1, 3, 5, 9}), floats({2}, {1, 2}), floats({2}, {0, 1})},
                        {{"epsilon", number(0)}}),
                {1, 2, 2}, {-1, 1, -1, 3});
  expect_values(call_op("MeanVarianceNormalization", {floats({2, 2}, {1, 3, 5, 9})}, {{"axes", tuple({0})}}), {2, 2},
                {-1, -1, 1, 1});
}

// "size_ % 2 == 1" is what ONNX Runtime asks of it.
TEST(LRN, SizesAreOdd) {
  expect_refused(call_op("LRN", {counting({1, 3, 1})}, {{"size", 2}}), "ONNX Runtime");
  expect_refused(call_op("LRN", {counting({1, 3, 1})}, {{"size", 4}}), "ONNX Runtime");
  EXPECT_EQ(call_op("LRN", {counting({1, 3, 1})}, {{"size", 5}}).error, "");
}

TEST(Normalise, ResponsesOfNeighbouringChannels) {
  // size 3: channels c - 1 to c + 1. beta 1, alpha 3 (so alpha / size = 1), bias 1.
  Called y = call_op("LRN", {floats({1, 3, 1}, {1, 2, 3})},
                     {{"size", 3}, {"beta", number(1)}, {"alpha", number(3)}, {"bias", number(1)}});
  expect_values(y, {1, 3, 1}, {1.0 / 6, 2.0 / 15, 3.0 / 14});
}

TEST(Reduction, NaNIsTheLargestAndTheSmallest) {  // as NumPy, and so ONNX's reference, has it
  Tensor x = floats({4}, {1, NAN, 5, NAN});
  expect_values(call_op("ArgMax", {x}, {{"keepdims", 0}}), {}, {1});
  expect_values(call_op("ArgMin", {x}, {{"keepdims", 0}}), {}, {1});
  expect_values(call_op("ArgMax", {x}, {{"keepdims", 0}, {"select_last_index", 1}}), {}, {3});
  for (const char* op : {"ReduceMax", "ReduceMin"}) {
    EXPECT_TRUE(std::isnan(call_op(op, {x}).values()[0])) << op;
  }
  for (const char* op : {"maximum", "minimum"}) {
    EXPECT_TRUE(std::isnan(call_op(op, {floats({1}, {NAN}), floats({1}, {1})}).values()[0])) << op;
    EXPECT_TRUE(std::isnan(call_op(op, {floats({1}, {1}), floats({1}, {NAN})}).values()[0])) << op;
  }
}

TEST(Reduction, MinusZeroIsSmallerThanZero) {
  for (bool first : {false, true}) {
    Tensor a = floats({1}, {first ? -0.0 : 0.0});
    Tensor b = floats({1}, {first ? 0.0 : -0.0});
    EXPECT_FALSE(std::signbit(call_op("maximum", {a, b}).values()[0]));
    EXPECT_TRUE(std::signbit(call_op("minimum", {a, b}).values()[0]));
    EXPECT_FALSE(std::signbit(call_op("ReduceMax", {floats({2}, {first ? -0.0 : 0.0, first ? 0.0 : -0.0})}).values()[0]));
    EXPECT_TRUE(std::signbit(call_op("ReduceMin", {floats({2}, {first ? -0.0 : 0.0, first ? 0.0 : -0.0})}).values()[0]));
  }
}

TEST(Dropout, MeansNothingUntilItIsKnownThatItDoesNotTrain) {
  Tensor x = floats({2}, {1, 2});
  Tensor half = floats({}, {0.5});
  expect_values(call_op("Dropout", {x, half, ints({}, {0}, DType::Bool)}), {2}, {1, 2});
  expect_refused(call_op("Dropout", {x, half, ints({}, {1}, DType::Bool)}), "random");
  expect_values(call_op("Dropout", {x, floats({}, {0}), ints({}, {1}, DType::Bool)}), {2}, {1, 2});
  auto typing = type_call(*find_op("Dropout"),
                          {Type::tensor(DType::Float32, Extents{2}), Type(), Type::tensor(DType::Bool, Extents{})}, {}, {});
  EXPECT_TRUE(typing->error.empty());
  EXPECT_EQ(typing->results.size(), 1U);
  Kernel meaning = call_meaning(*find_op("Dropout"),
                                {Type::tensor(DType::Float32, Extents{2}), Type(), Type::tensor(DType::Bool, Extents{})}, {}, {});
  EXPECT_TRUE(meaning.outputs.empty());
}

}  // namespace
}  // namespace vouch
