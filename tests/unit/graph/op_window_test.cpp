// Convolutions, pools and resampling on values worked out by hand.
#include "calls.h"

namespace vouch {
namespace {

TEST(Conv, PadsOneSideMore) {
  // x = 1 2 3, padded 0 1 2 3 0 0, kernel 1 10, stride 2: 0+10, 2+30, 0
  Called y = call_op("Conv", {floats({1, 1, 3}, {1, 2, 3}), floats({1, 1, 2}, {1, 10})},
                     {{"pads", tuple({1, 2})}, {"strides", tuple({2})}});
  expect_values(y, {1, 1, 3}, {10, 32, 0});
}

TEST(Conv, Dilates) {
  Called y = call_op("Conv", {counting({1, 1, 5}), floats({1, 1, 2}, {1, 10})}, {{"dilations", tuple({3})}});
  expect_values(y, {1, 1, 2}, {41, 52});
}

TEST(Conv, KeepsGroupsApart) {
  // Channels 1, 2 | 3, 4 hold one number each; outputs 0, 1 see the first group, 2, 3 the second.
  Called y = call_op("Conv", {counting({1, 4, 1}), floats({4, 2, 1}, {1, 0, 0, 1, 1, 1, 2, 0}), floats({4}, {0, 0, 0, 100})},
                     {{"group", 2}});
  expect_values(y, {1, 4, 1}, {1, 2, 7, 106});
}

TEST(Conv, SamePaddingPutsTheOddOneBehindOrBefore) {
  std::vector<Operand> operands{counting({1, 1, 4}), floats({1, 1, 2}, {1, 10})};
  expect_values(call_op("Conv", operands, {{"auto_pad", text("SAME_UPPER")}}), {1, 1, 4}, {21, 32, 43, 4});
  expect_values(call_op("Conv", operands, {{"auto_pad", text("SAME_LOWER")}}), {1, 1, 4}, {10, 21, 32, 43});
  expect_values(call_op("Conv", operands, {{"auto_pad", text("VALID")}}), {1, 1, 3}, {21, 32, 43});
}

TEST(Conv, RefusesWhatDoesNotFit) {
  Tensor x = counting({1, 3, 2});
  expect_refused(call_op("Conv", {x, counting({1, 2, 1})}), "channels");
  expect_refused(call_op("Conv", {x, counting({1, 3, 3})}), "must fit");
  expect_refused(call_op("Conv", {x, counting({1, 3, 1})}, {{"strides", tuple({0})}}), "strides");
  expect_refused(call_op("Conv", {x, counting({1, 3, 1})}, {{"pads", tuple({-1, 0})}}), "pads");
  expect_refused(call_op("Conv", {x, counting({2, 3, 1})}, {{"group", 0}}), "group");
  expect_refused(call_op("Conv", {counting({1, 4, 2}), counting({3, 2, 1})}, {{"group", 2}}), "divide");
}

TEST(Conv, SameMeaningInLowerCase) {
  Tensor x = counting({1, 2, 3, 3});
  Tensor w = counting({2, 1, 2, 2});
  Called upper = call_op("Conv", {x, w}, {{"group", 2}, {"pads", tuple({0, 1, 1, 0})}, {"strides", tuple({2, 1})}});
  Called lower = call_op("conv2d", {x, w}, {{"groups", 2}, {"padding", tuple({0, 1, 1, 0})}, {"strides", tuple({2, 1})}});
  ASSERT_EQ(upper.error, "");
  expect_values(lower, upper.shape(), upper.values());
  // One number stands for all axes and sides.
  Called all = call_op("conv2d", {x, w}, {{"groups", 2}, {"padding", 1}});
  EXPECT_EQ(all.shape(), (Extents{1, 2, 4, 4}));
}

TEST(ConvTranspose, SpreadsEachElement) {
  // Each element times the kernel 1 10, every second position: 1 10 2 20 3 30.
  std::vector<Operand> operands{counting({1, 1, 3}), floats({1, 1, 2}, {1, 10})};
  expect_values(call_op("ConvTranspose", operands, {{"strides", tuple({2})}}), {1, 1, 6}, {1, 10, 2, 20, 3, 30});
  // Stride 1: overlaps are summed.
  expect_values(call_op("ConvTranspose", operands), {1, 1, 4}, {1, 12, 23, 30});
  expect_values(call_op("ConvTranspose", operands, {{"pads", tuple({1, 0})}}), {1, 1, 3}, {12, 23, 30});
  expect_values(call_op("ConvTranspose", operands, {{"strides", tuple({2})}, {"output_padding", tuple({1})}}), {1, 1, 7},
                {1, 10, 2, 20, 3, 30, 0});
  expect_values(call_op("ConvTranspose", operands, {{"dilations", tuple({2})}}), {1, 1, 5}, {1, 2, 13, 20, 30});
}

// Of 4 elements at a stride of 2 and a kernel of 1 ONNX says 8 (input times stride), ONNX Runtime 1.30 gives 7: no padding is
// negative.
TEST(ConvTranspose, SameNeedsAWindowThatCoversItsStride) {
  Tensor x = counting({1, 1, 4});
  Attributes same{{"strides", tuple({2})}, {"auto_pad", text("SAME_UPPER")}};
  expect_refused(call_op("ConvTranspose", {x, floats({1, 1, 1}, {1})}, same), "ONNX Runtime");
  expect_values(call_op("ConvTranspose", {x, floats({1, 1, 2}, {1, 10})}, same), {1, 1, 8}, {1, 10, 2, 20, 3, 30, 4, 40});
}

// ONNX: each must be less than the stride or the dilation; ONNX Runtime refuses others.
TEST(ConvTranspose, WhatIsAddedBehindIsLessThanAStride) {
  std::vector<Operand> operands{counting({1, 1, 3}), floats({1, 1, 2}, {1, 10})};
  auto added = [&](std::int64_t stride, std::int64_t dilation, std::int64_t behind) {
    return call_op("ConvTranspose", operands,
                   {{"strides", tuple({stride})}, {"dilations", tuple({dilation})}, {"output_padding", tuple({behind})}});
  };
  expect_refused(added(1, 1, 1), "output_padding");
  expect_refused(added(2, 1, 2), "output_padding");
  expect_refused(added(1, 2, 1), "ONNX Runtime");
  expect_values(added(2, 2, 1), {1, 1, 8}, {1, 0, 12, 0, 23, 0, 30, 0});
}

// ONNX Runtime counts the windows that a result of this size has place for: of 8 there are 4, as there are of 7 that all reach.
TEST(ConvTranspose, ASizeThatIsGivenHasPlaceForItsWindowsAlone) {
  auto sized = [&](std::int64_t size) {
    return call_op("ConvTranspose", {counting({1, 1, 4}), floats({1, 1, 1}, {1})},
                   {{"strides", tuple({2})}, {"output_shape", tuple({size})}});
  };
  expect_values(sized(8), {1, 1, 8}, {1, 0, 2, 0, 3, 0, 4, 0});
  expect_refused(sized(9), "ONNX Runtime");
}

// ONNX Runtime: "Dilation not supported for AutoPadType::SAME_UPPER or AutoPadType::SAME_LOWER", and this for a kernel of 1 as
// well.
TEST(Conv, SameGoesWithoutDilation) {
  Attributes same{{"auto_pad", text("SAME_LOWER")}};
  std::vector<Operand> operands{counting({1, 1, 3}), floats({1, 1, 1}, {2})};
  expect_values(call_op("Conv", operands, same), {1, 1, 3}, {2, 4, 6});
  same.emplace_back("dilations", tuple({2}));
  expect_refused(call_op("Conv", operands, same), "ONNX Runtime");
}

TEST(ConvTranspose, KernelChannelsArePerGroup) {
  // Two groups of one input channel each, two outputs a group.
  Called y =
      call_op("ConvTranspose", {counting({1, 2, 1}), floats({2, 2, 1}, {1, 2, 3, 4}), floats({4}, {0, 0, 0, 1})}, {{"group", 2}});
  expect_values(y, {1, 4, 1}, {1, 2, 6, 9});
}

TEST(Pool, MaximumIgnoresPadding) {
  Called y = call_op("MaxPool", {floats({1, 1, 3}, {-5, -2, -3})}, {{"kernel_shape", tuple({2})}, {"pads", tuple({1, 1})}});
  expect_values(y, {1, 1, 4}, {-5, -2, -2, -3});
}

// Of 3 elements at a stride of 2 ONNX says 2 windows, ONNX Runtime 1.30 makes none: it pads as if windows were not dilated.
TEST(Pool, SameNeedsWindowsWithoutDilation) {
  Attributes same{{"kernel_shape", tuple({3})}, {"strides", tuple({2})}, {"auto_pad", text("SAME_UPPER")}};
  expect_values(call_op("MaxPool", {counting({1, 1, 3})}, same), {1, 1, 2}, {2, 3});
  same.emplace_back("dilations", tuple({3}));
  expect_refused(call_op("MaxPool", {counting({1, 1, 3})}, same), "ONNX Runtime");
  expect_refused(call_op("AveragePool", {counting({1, 1, 3})}, same), "ONNX Runtime");
}

// ONNX: of 3 elements at a stride of 4 one window, at the first of them. ONNX Runtime 1.30 takes the second for the norm, and
// refuses the maximum: "padding values must be non-negative".
TEST(Pool, SameNeedsWindowsThatReachTheEnd) {
  for (const char* pool : {"MaxPool", "AveragePool", "LpPool"}) {
    auto of_size = [&](std::int64_t kernel, const char* pad) {
      return call_op(pool, {counting({1, 1, 3})},
                     {{"kernel_shape", tuple({kernel})}, {"strides", tuple({4})}, {"auto_pad", text(pad)}});
    };
    expect_refused(of_size(1, "SAME_UPPER"), "ONNX Runtime");
    expect_refused(of_size(2, "SAME_LOWER"), "ONNX Runtime");
    EXPECT_EQ(of_size(3, "SAME_UPPER").error, "") << pool;
  }
}

// ONNX Runtime 1.30 makes none of these pools: "pads[dim] < kernel_shape[dim]", whatever the dilation.
TEST(Pool, PadsAreSmallerThanTheKernel) {
  Attributes counted{{"kernel_shape", tuple({2})}, {"count_include_pad", 1}};
  Attributes norm{{"kernel_shape", tuple({2})}, {"p", 1}};
  Attributes dilated{{"kernel_shape", tuple({2})}, {"dilations", tuple({3})}};
  Tensor x = counting({1, 1, 4});
  for (const auto& [pool, attributes] : {std::pair("AveragePool", counted), {"LpPool", norm}, {"MaxPool", dilated}}) {
    auto padded = [&](std::int64_t before, std::int64_t behind) {
      Attributes all = attributes;
      all.emplace_back("pads", tuple({before, behind}));
      return call_op(pool, {x}, all);
    };
    expect_refused(padded(2, 0), "ONNX Runtime");
    expect_refused(padded(0, 2), "ONNX Runtime");
    EXPECT_EQ(padded(1, 1).error, "") << pool;
  }
}

TEST(Pool, IndicesNameTheFirstMaximum) {
  // The first of equal maxima is so in row-major order, also where positions are counted column by column.
  Called turned = call_op("MaxPoolIndices", {floats({1, 1, 2, 3}, {0, 5, 5, 5, 0, 0})},
                          {{"kernel_shape", tuple({2, 2})}, {"storage_order", 1}});
  expect_values(turned, {1, 1, 1, 2}, {2, 2});
  Called y = call_op("MaxPoolIndices", {floats({1, 2, 1, 3}, {4, 4, 1, 0, 7, 7})}, {{"kernel_shape", tuple({1, 2})}});
  expect_values(y, {1, 2, 1, 2}, {0, 1, 4, 4});
}

TEST(Pool, MeanCountsPaddingOrNot) {
  Tensor x = floats({1, 1, 3}, {6, 12, 18});
  Attributes attributes{{"kernel_shape", tuple({2})}, {"pads", tuple({1, 1})}};
  expect_values(call_op("AveragePool", {x}, attributes), {1, 1, 4}, {6, 9, 15, 18});
  attributes.emplace_back("count_include_pad", 1);
  expect_values(call_op("AveragePool", {x}, attributes), {1, 1, 4}, {3, 9, 15, 9});
}

TEST(Pool, CeilingAddsAWindowThatStartsInside) {
  Tensor x = counting({1, 1, 6});
  Attributes attributes{{"kernel_shape", tuple({3})}, {"strides", tuple({2})}, {"ceil_mode", 1}};
  expect_values(call_op("MaxPool", {x}, attributes), {1, 1, 3}, {3, 5, 6});
  expect_values(call_op("AveragePool", {x}, attributes), {1, 1, 3}, {2, 4, 5.5});
  // Stride 3, kernel 1: a third window would start at 6, behind the input.
  Attributes sparse{{"kernel_shape", tuple({1})}, {"strides", tuple({3})}, {"ceil_mode", 1}};
  expect_values(call_op("MaxPool", {x}, sparse), {1, 1, 2}, {1, 4});
}

// Of 4 elements, with kernel and stride 3, ONNX's text has ceil((4 - 3 + 1) / 3) = 1 window, ONNX Runtime 1.30 ceil((4 - 3) / 3)
// + 1.
TEST(Pool, ALastWindowThatLeavesTheInputUnderValidIsNoCall) {
  Attributes valid{{"kernel_shape", tuple({3})}, {"strides", tuple({3})}, {"ceil_mode", 1}, {"auto_pad", text("VALID")}};
  for (const char* op : {"MaxPool", "AveragePool"}) {
    expect_refused(call_op(op, {counting({1, 1, 4})}, valid), "ONNX Runtime");
    EXPECT_EQ(call_op(op, {counting({1, 1, 6})}, valid).shape(), (Extents{1, 1, 2}));
  }
}

TEST(Pool, CountsDilatedPositions) {
  // Windows start at -1, 1, 3, each with two positions two apart: {2}, {2, 4}, {4}.
  Called y = call_op("AveragePool", {counting({1, 1, 5})},
                     {{"kernel_shape", tuple({2})}, {"dilations", tuple({2})}, {"pads", tuple({1, 1})}, {"strides", tuple({2})}});
  expect_values(y, {1, 1, 3}, {2, 3, 4});
}

TEST(Pool, RefusesWindowsOfPaddingAlone) {
  expect_refused(call_op("MaxPool", {counting({1, 1, 3})}, {{"kernel_shape", tuple({2})}, {"pads", tuple({2, 0})}}),
                 "smaller than the kernel");
}

TEST(Pool, GlobalOverAllSpatialAxes) {
  expect_values(call_op("GlobalAveragePool", {counting({1, 2, 2, 2})}), {1, 2, 1, 1}, {2.5, 6.5});
  expect_values(call_op("GlobalMaxPool", {counting({1, 2, 2, 2})}), {1, 2, 1, 1}, {4, 8});
}

TEST(Pool, LowerCaseForms) {
  Tensor x = counting({1, 1, 2, 2});
  expect_values(call_op("max_pool2d", {x}, {{"pool_size", 2}}), {1, 1, 1, 1}, {4});
  expect_values(call_op("avg_pool2d", {x}, {{"pool_size", tuple({2, 1})}, {"strides", tuple({1, 2})}}), {1, 1, 1, 1}, {2});
}

TEST(Resize, RoundsPositions) {
  Tensor x = counting({4});
  auto sized = [&](std::int64_t size, Attributes attributes) {
    return call_op("Resize", {x, std::monostate(), std::monostate(), list({size})}, attributes);
  };
  // asymmetric: position i * 4 / 8
  expect_values(sized(8, {{"coordinate_transformation_mode", text("asymmetric")}, {"nearest_mode", text("floor")}}), {8},
                {1, 1, 2, 2, 3, 3, 4, 4});
  expect_values(sized(8, {{"coordinate_transformation_mode", text("asymmetric")}, {"nearest_mode", text("ceil")}}), {8},
                {1, 2, 2, 3, 3, 4, 4, 4});
  // half_pixel to half the size: positions 0.5 and 2.5, halves down or up
  expect_values(sized(2, {}), {2}, {1, 3});
  expect_values(sized(2, {{"nearest_mode", text("round_prefer_ceil")}}), {2}, {2, 4});
}

TEST(Resize, InterpolatesLinearly) {
  Tensor x = floats({2}, {0, 8});
  auto linear = [&](std::int64_t size, const std::string& mode) {
    return call_op("Resize", {x, std::monostate(), std::monostate(), list({size})},
                   {{"mode", text("linear")}, {"coordinate_transformation_mode", text(mode)}});
  };
  expect_values(linear(4, "half_pixel"), {4}, {0, 2, 6, 8});
  expect_values(linear(4, "asymmetric"), {4}, {0, 4, 8, 8});
  expect_values(linear(5, "align_corners"), {5}, {0, 2, 4, 6, 8});
  expect_values(linear(1, "pytorch_half_pixel"), {1}, {0});
  expect_values(linear(1, "half_pixel"), {1}, {4});
}

TEST(Resize, ScalesMeanTheSimplestFraction) {
  // 0.6f is above 3/5, 0.7f below 7/10: sizes are those that the decimals mean.
  auto scaled = [](std::int64_t n, double scale) {
    return call_op("Resize", {counting({n}), std::monostate(), floats({1}, {scale})}).shape();
  };
  EXPECT_EQ(scaled(5, 0.6), Extents{3});
  EXPECT_EQ(scaled(10, 0.7), Extents{7});
}

// A scale of 0.5 makes 1 of 3 elements: at 0 in ONNX's text and ONNX Runtime 1.30, at 0.5 in ONNX's reference, where 1.5 is
// not 1.
TEST(Resize, LengthsThatModesAskForAreWholeNumbers) {
  auto scaled = [](std::int64_t n, double scale, const std::string& mode) {
    return call_op("Resize", {counting({n}), floats({2}, {0, 1}), floats({1}, {scale})},
                   {{"mode", text("linear")}, {"coordinate_transformation_mode", text(mode)}});
  };
  expect_refused(scaled(3, 0.5, "pytorch_half_pixel"), "reference");
  EXPECT_EQ(scaled(2, 0.5, "pytorch_half_pixel").shape(), Extents{1});
  EXPECT_EQ(scaled(5, 0.5, "pytorch_half_pixel").shape(), Extents{2});
  expect_refused(scaled(3, 1.5, "tf_crop_and_resize"), "reference");
  expect_values(scaled(2, 1.5, "tf_crop_and_resize"), {3}, {1, 1.5, 2});
  EXPECT_EQ(scaled(3, 1.5, "half_pixel").error, "");
}

TEST(Resize, KeepsTheAspectRatio) {
  Called y = call_op("Resize", {counting({2, 4}), std::monostate(), std::monostate(), list({6, 6})},
                     {{"keep_aspect_ratio_policy", text("not_larger")}});
  EXPECT_EQ(y.shape(), (Extents{3, 6}));
}

TEST(Blocks, MoveBetweenChannelsAndSpace) {
  Tensor x = counting({1, 4, 1, 1});
  expect_values(call_op("DepthToSpace", {x}, {{"blocksize", 2}}), {1, 1, 2, 2}, {1, 2, 3, 4});
  Tensor deep = counting({1, 8, 1, 1});
  expect_values(call_op("DepthToSpace", {deep}, {{"blocksize", 2}}), {1, 2, 2, 2}, {1, 3, 5, 7, 2, 4, 6, 8});
  expect_values(call_op("DepthToSpace", {deep}, {{"blocksize", 2}, {"mode", text("CRD")}}), {1, 2, 2, 2},
                {1, 2, 3, 4, 5, 6, 7, 8});
  expect_values(call_op("SpaceToDepth", {counting({1, 1, 2, 2})}, {{"blocksize", 2}}), {1, 4, 1, 1}, {1, 2, 3, 4});
  expect_refused(call_op("DepthToSpace", {counting({1, 3, 1, 1})}, {{"blocksize", 2}}), "divide");
}

}  // namespace
}  // namespace vouch
