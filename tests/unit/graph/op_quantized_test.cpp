// Computations on quantised integers, on values worked out by hand.
#include "calls.h"
#include "graph/eval.h"

namespace vouch {
namespace {

Tensor bytes(Extents extents, std::vector<std::int64_t> values) {
  return ints(std::move(extents), std::move(values), DType::UInt8);
}

Tensor byte(std::int64_t value) { return bytes({}, {value}); }
Tensor scale(double value) { return floats({}, {value}); }

TEST(Quantised, SumsAndProductsRoundTiesToEvenAndSaturate) {
  // 4 and 6
  std::vector<Operand> operands{bytes({1}, {10}), scale(0.5), byte(2), bytes({1}, {6}), scale(1), {}, scale(4), byte(1)};
  expect_values(call_op("QLinearAdd", operands), {1}, {3});  // 2.5 rounds to 2
  operands[6] = scale(16);
  expect_values(call_op("QLinearMul", operands), {1}, {3});  // 1.5 rounds to 2
  operands[6] = scale(0.01);
  expect_values(call_op("QLinearAdd", operands), {1}, {255});
  operands[3] = ints({1}, {-128}, DType::Int8);
  expect_values(call_op("QLinearAdd", operands), {1}, {0});
  operands[6] = floats({2}, {1, 1});
  expect_refused(call_op("QLinearAdd", operands), "c_scale must be one element");
}

TEST(Quantised, FunctionsOfOneOperand) {
  expect_values(call_op("QLinearSigmoid", {byte(7), scale(3), byte(7), scale(1.0 / 256), byte(0)}), {}, {128});
  Tensor x = ints({2}, {-8, -24}, DType::Int8);
  Tensor five = ints({}, {5}, DType::Int8);
  // -4 and -12, halved, in fours: -0.5 and -1.5
  expect_values(call_op("QLinearLeakyRelu", {x, scale(0.5), {}, scale(4), five}, {{"alpha", number(0.5)}}), {2}, {5, 3});
  expect_values(call_op("QLinearGlobalAveragePool", {bytes({1, 1, 2}, {4, 7}), scale(2), byte(3), scale(2), byte(0)}), {1, 1, 1},
                {2});  // (1 + 4) / 2
}

TEST(Quantised, Products) {
  Tensor a = bytes({1, 2}, {3, 5});
  Tensor b = bytes({2, 1}, {2, 4});
  // 2·0 + 4·2 = 8, of which each stands for an eighth
  expect_values(call_op("QLinearMatMul", {a, scale(0.5), byte(1), b, scale(0.25), byte(2), scale(2), byte(10)}), {1, 1}, {10});
  expect_values(call_op("MatMulIntegerToFloat", {a, b, scale(0.5), scale(0.25), byte(1), byte(2), floats({1}, {7})}), {1, 1},
                {8});
  Tensor columns = bytes({2, 2}, {2, 4, 4, 6});
  expect_values(
      call_op("QLinearMatMul", {a, scale(0.5), byte(1), columns, floats({2}, {1, 2}), bytes({2}, {2, 4}), scale(1), byte(0)}),
      {1, 2}, {4, 8});  // 8 · 0.5 and 8 · 1
}

TEST(Quantised, ProductsWithABias) {
  Tensor a = bytes({1, 2}, {3, 5});
  Tensor b = bytes({2, 2}, {2, 4, 4, 6});
  Tensor bias = ints({2}, {3, -4}, DType::Int32);
  Attributes flipped{{"transB", AttrValue(1)}, {"alpha", number(0.5)}};
  // 2 and 4 times (0, 2) and, flipped, (2, 4) less 2 and 4: 8 + 3 and 8 - 4, of which each stands for 1/4 and 1/2
  std::vector<Operand> operands{a, scale(0.5), byte(1), b, floats({2}, {1, 2}), bytes({2}, {2, 4}), bias, scale(0.5), byte(100)};
  expect_values(call_op("QGemm", operands, flipped), {1, 2}, {106, 104});
  operands.resize(7);
  expect_values(call_op("QGemm", operands, flipped), {1, 2}, {2.75, 2});
  operands[6] = ints({3}, {1, 2, 3}, DType::Int32);
  expect_refused(call_op("QGemm", operands, flipped), "size 3 does not broadcast to 2");
}

TEST(Quantised, ConvolutionsArePaddedWithWhatStandsForZero) {
  Tensor x = bytes({1, 1, 3}, {3, 4, 5});
  Tensor w = bytes({1, 1, 2}, {1, 2});
  Attributes padded{{"pads", tuple({1, 1})}};
  Called y = call_op("ConvInteger", {x, w, byte(3), byte(1)}, padded);
  expect_values(y, {1, 1, 4}, {0, 1, 2, 0});
  EXPECT_EQ(y.results[0].dtype(), DType::Int32);
  std::vector<Operand> operands{x, scale(0.5), byte(3), w, scale(1), byte(1), scale(0.25), byte(0), ints({1}, {2}, DType::Int32)};
  expect_values(call_op("QLinearConv", operands, padded), {1, 1, 4}, {4, 6, 8, 4});
  operands[3] = bytes({2, 1, 2}, {1, 2, 3, 3});
  operands[4] = floats({2}, {1, 2});
  operands[5] = bytes({2}, {1, 2});
  operands[8] = std::monostate();
  expect_values(call_op("QLinearConv", operands, padded), {1, 2, 4}, {0, 2, 4, 0, 0, 4, 12, 8});
  operands[8] = ints({3}, {1, 2, 3}, DType::Int32);
  expect_refused(call_op("QLinearConv", operands, padded), "one element for each output channel");
}

std::vector<Tensor> dynamically(std::vector<double> values) {
  auto count = static_cast<std::int64_t>(values.size());
  Diagnostics diagnostics;
  auto results = GraphEvaluator().call(*find_op("DynamicQuantizeLinear"), {{false, {floats({count}, std::move(values))}}}, {},
                                       "call", diagnostics);
  EXPECT_EQ(diagnostics.text(), "");
  return results.value_or(std::vector<Tensor>());
}

TEST(Quantised, RangesThatAreFoundOut) {
  // The example of ONNX's documentation.
  std::vector<Tensor> y = dynamically({0, 2, -3, -2.5, 1.34, 0.5});
  ASSERT_EQ(y.size(), 3U);
  EXPECT_EQ(y[0], bytes({6}, {153, 255, 0, 26, 221, 179}));
  EXPECT_EQ(y[1], scale(0.0196078438F));
  EXPECT_EQ(y[2], byte(153));
  std::vector<Tensor> zero = dynamically({0, 0});
  ASSERT_EQ(zero.size(), 3U);
  EXPECT_EQ(zero[0], bytes({2}, {0, 0}));
  EXPECT_EQ(zero[1], scale(1));
}

}  // namespace
}  // namespace vouch
