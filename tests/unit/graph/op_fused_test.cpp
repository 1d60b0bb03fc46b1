// Fused operators against values worked out by hand, and against the calls that they stand for.
#include "calls.h"

namespace vouch {
namespace {

TEST(Fused, ActivationsOfASum) {
  expect_values(call_op("BiasGelu", {floats({1, 2}, {0, -1}), floats({2}, {1, 1})}), {1, 2}, {0.8413447, 0});
  expect_values(call_op("FastGelu", {floats({1}, {1})}), {1}, {0.8411920});
  expect_values(call_op("FastGelu", {floats({1}, {0.5}), floats({1}, {0.5})}), {1}, {0.8411920});
  expect_values(call_op("QuickGelu", {floats({1}, {1})}), {1}, {0.8457958});
  expect_values(call_op("Swish", {floats({1}, {1})}), {1}, {0.7310586});
  expect_refused(call_op("BiasGelu", {floats({1, 2}, {0, 1}), floats({3}, {1, 1, 1})}), "one element for each position");
}

TEST(Fused, NormalisationsOfASum) {
  Tensor input = floats({1, 2}, {1, 2});
  Tensor skip = floats({1, 2}, {2, 2});
  Tensor one = floats({2}, {1, 1});
  Attributes exact{{"epsilon", number(0)}};
  // 3 and 4: the root of their mean square is sqrt(12.5)
  expect_values(call_op("SkipSimplifiedLayerNormalization", {input, skip, one}, exact), {1, 2}, {0.8485281, 1.1313708});
  expect_values(call_op("SkipSimplifiedLayerNormalizationSum", {input, skip, one, one}, exact), {1, 2}, {4, 5});
  // with the bias 3 and 5: mean 4, variance 1
  Tensor bias = floats({2}, {0, 1});
  Tensor beta = floats({2}, {10, 20});
  expect_values(call_op("SkipLayerNormalization", {input, skip, one, beta, bias}, exact), {1, 2}, {9, 21});
  expect_values(call_op("RMSNormalization", {floats({2}, {3, 4}), one}, exact), {2}, {0.8485281, 1.1313708});
}

TEST(Fused, ProductsThroughAnActivation) {
  Tensor a = floats({1, 2}, {1, 2});
  Tensor b = floats({1, 2}, {3, 4});
  expect_values(call_op("FusedMatMul", {a, b}, {{"transB", AttrValue(1)}, {"alpha", number(2)}}), {1, 1}, {22});
  expect_values(call_op("FusedMatMul", {a, b}, {{"transA", AttrValue(1)}}), {2, 2}, {3, 4, 6, 8});
  Attributes relu{{"activation", text("Relu")}, {"transB", AttrValue(1)}, {"alpha", number(-1)}};
  expect_values(call_op("FusedGemm", {a, b}, relu), {1, 1}, {0});
  expect_values(call_op("FusedGemm", {a, b, floats({1}, {12})}, relu), {1, 1}, {1});
  expect_refused(call_op("FusedGemm", {a, b}, {{"activation", text("Softsign")}}), "not one that is fused");
}

TEST(Fused, ConvolutionThroughAnActivation) {
  Tensor x = counting({1, 1, 1, 3});
  Tensor w = floats({1, 1, 1, 2}, {1, -2});
  expect_values(call_op("Conv", {x, w}), {1, 1, 1, 2}, {-3, -4});
  expect_values(call_op("FusedConv", {x, w}, {{"activation", text("Relu")}}), {1, 1, 1, 2}, {0, 0});
  Tensor z = floats({1, 1, 1, 2}, {5, 3});
  expect_values(call_op("FusedConv", {x, w, {}, z}, {{"activation", text("Relu")}}), {1, 1, 1, 2}, {2, 0});
  Attributes slope{{"activation", text("LeakyRelu")}, {"activation_params", AttrValue(AttrTuple{number(0.5)})}};
  expect_values(call_op("FusedConv", {x, w}, slope), {1, 1, 1, 2}, {-1.5, -2});
}

TEST(Fused, IntegerProductsCountFromTheirZeroPoints) {
  Tensor a = ints({1, 2}, {11, 7}, DType::UInt8);
  Tensor b = ints({2, 1}, {1, 4}, DType::UInt8);
  expect_values(call_op("MatMulInteger", {a, b, ints({1}, {12}, DType::UInt8)}), {1, 1}, {-21});  // -1·1 + -5·4
  expect_values(call_op("MatMulInteger", {a, b, {}, ints({}, {1}, DType::UInt8)}), {1, 1}, {21});
}

}  // namespace
}  // namespace vouch
