// Operators that move elements, on values worked out by hand.
#include "calls.h"

namespace vouch {
namespace {

constexpr std::int64_t kFar = INT64_MAX;

TEST(Reshape, KeepsRowMajorOrder) {
  Tensor x = counting({2, 3});
  expect_values(call_op("Reshape", {x, list({3, 2})}), {3, 2}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(call_op("Reshape", {x, list({0, -1, 1})}).shape(), (Extents{2, 3, 1}));
  expect_refused(call_op("Reshape", {x, list({4, -1})}), "do not divide");
  expect_refused(call_op("Reshape", {x, list({-1, -1})}), "only one");
  expect_refused(call_op("Reshape", {x, list({7})}), "number of elements");
  expect_refused(call_op("Reshape", {x, list({2, 3, 0})}), "keeps no axis");
}

TEST(Reshape, MapsGroupsOfAxes) {
  // Every axis of the inside is split and joined: 2x6x5 to 4x3x5 to 12x5.
  Tensor x = counting({2, 6, 5});
  Called middle = call_op("Reshape", {x, list({4, 3, 5})});
  expect_values(middle, {4, 3, 5}, call_op("Identity", {x}).values());
  expect_values(call_op("Reshape", {counting({3, 4}), list({2, 2, 3})}), {2, 2, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
}

TEST(Reshape, TakesEmptyTensors) {
  EXPECT_EQ(call_op("Reshape", {floats({0, 3, 4}, {}), list({3, 4, 0})}, {{"allowzero", 1}}).shape(), (Extents{3, 4, 0}));
  EXPECT_EQ(call_op("reshape", {floats({0, 2}, {})}, {{"shape", tuple({2, 0})}}).shape(), (Extents{2, 0}));
}

TEST(Reshape, FlattensAtAnAxis) {
  Tensor x = counting({2, 3, 2});
  EXPECT_EQ(call_op("Flatten", {x}, {{"axis", 2}}).shape(), (Extents{6, 2}));
  EXPECT_EQ(call_op("Flatten", {x}, {{"axis", -1}}).shape(), (Extents{6, 2}));
  EXPECT_EQ(call_op("Flatten", {x}, {{"axis", 0}}).shape(), (Extents{1, 12}));
  EXPECT_EQ(call_op("Flatten", {x}, {{"axis", 3}}).shape(), (Extents{12, 1}));
  expect_refused(call_op("Flatten", {x}, {{"axis", 4}}), "out of range");
}

TEST(Axes, SqueezeAndUnsqueeze) {
  Tensor x = counting({1, 2, 1});
  EXPECT_EQ(call_op("Squeeze", {x, list({-1})}).shape(), (Extents{1, 2}));
  EXPECT_EQ(call_op("Squeeze", {x}).shape(), Extents{2});
  expect_refused(call_op("Squeeze", {x, list({1})}), "must be 1");
  EXPECT_EQ(call_op("Unsqueeze", {counting({2}), list({2, 0})}).shape(), (Extents{1, 2, 1}));
  EXPECT_EQ(call_op("unsqueeze", {counting({2})}, {{"axes", tuple({-1})}}).shape(), (Extents{2, 1}));
  expect_refused(call_op("Unsqueeze", {counting({2}), list({0, 0})}), "twice");
}

TEST(Axes, Transposes) {
  expect_values(call_op("Transpose", {counting({2, 3})}), {3, 2}, {1, 4, 2, 5, 3, 6});
  expect_values(call_op("transpose", {counting({1, 2, 3})}, {{"perm", tuple({2, 0, 1})}}), {3, 1, 2}, {1, 4, 2, 5, 3, 6});
  expect_refused(call_op("Transpose", {counting({2, 3})}, {{"perm", tuple({0, 0})}}), "no permutation");
}

TEST(Axes, ExpandTileAndBroadcast) {
  expect_values(call_op("Expand", {floats({2, 1}, {1, 2}), list({1, 2})}), {2, 2}, {1, 1, 2, 2});
  EXPECT_EQ(call_op("Expand", {counting({3}), list({2, 1})}).shape(), (Extents{2, 3}));
  expect_values(call_op("Tile", {counting({2}), list({2})}), {4}, {1, 2, 1, 2});
  expect_values(call_op("broadcast_in_dim", {counting({2})}, {{"shape", tuple({2, 2})}, {"broadcast_dimensions", tuple({0})}}),
                {2, 2}, {1, 1, 2, 2});
  expect_refused(call_op("broadcast_in_dim", {counting({2})}, {{"shape", tuple({3})}, {"broadcast_dimensions", tuple({0})}}),
                 "does not broadcast");
}

TEST(Axes, ShapesAsData) {
  expect_values(call_op("Shape", {counting({2, 3, 4})}), {3}, {2, 3, 4});
  expect_values(call_op("Shape", {counting({2, 3, 4})}, {{"start", -2}, {"end", -1}}), {1}, {3});
  EXPECT_EQ(call_op("Shape", {counting({2, 3})}, {{"start", 2}, {"end", 1}}).shape(), Extents{0});
  expect_values(call_op("Size", {counting({2, 3, 4})}), {}, {24});
}

TEST(Join, ConcatenatesAndSplits) {
  std::vector<Tensor> items{counting({2, 1}), counting({2, 2})};
  expect_values(call_op("Concat", {items}, {{"axis", -1}}), {2, 3}, {1, 1, 2, 2, 3, 4});
  expect_refused(call_op("Concat", {items}, {{"axis", 0}}), "differ");
  Called pieces = call_op("Split", {counting({5}), list({2, 0, 3})});
  EXPECT_EQ(pieces.values(0), (Values{1, 2}));
  EXPECT_EQ(pieces.values(1), Values{});
  EXPECT_EQ(pieces.values(2), (Values{3, 4, 5}));
  expect_refused(call_op("Split", {counting({5}), list({2, 2})}), "pieces");
}

TEST(Join, SplitsInEqualPartsButTheLast) {
  Called pieces = call_op("Split", {counting({5})}, {{"num_outputs", 3}});
  EXPECT_EQ(pieces.values(0), (Values{1, 2}));
  EXPECT_EQ(pieces.values(2), Values{5});
  expect_refused(call_op("Split", {counting({4})}, {{"num_outputs", 0}}), "pieces");
  expect_refused(call_op("Split", {counting({2})}, {{"num_outputs", 4}}), "empty");
}

TEST(Join, SplitsAtPositions) {
  Called pieces = call_op("split", {counting({5})}, {{"indices_or_sections", tuple({1, 4})}});
  EXPECT_EQ(pieces.values(0), Values{1});
  EXPECT_EQ(pieces.values(1), (Values{2, 3, 4}));
  EXPECT_EQ(pieces.values(2), Values{5});
  EXPECT_EQ(call_op("split", {counting({4})}, {{"indices_or_sections", 2}}).values(1), (Values{3, 4}));
  expect_refused(call_op("split", {counting({5})}, {{"indices_or_sections", 2}}), "sections");
}

TEST(Slice, ClampsItsBounds) {
  Tensor x = counting({5});
  auto slice = [&](std::int64_t start, std::int64_t end, std::int64_t step) {
    return call_op("Slice", {x, list({start}), list({end}), list({0}), list({step})}).values();
  };
  EXPECT_EQ(slice(1, kFar, 2), (Values{2, 4}));
  EXPECT_EQ(slice(-2, kFar, 1), (Values{4, 5}));
  EXPECT_EQ(slice(-100, 2, 1), (Values{1, 2}));
  EXPECT_EQ(slice(3, 1, 1), Values{});
  EXPECT_EQ(slice(-1, -kFar, -2), (Values{5, 3, 1}));
  EXPECT_EQ(slice(100, 1, -1), (Values{5, 4, 3}));
  EXPECT_EQ(slice(INT32_MAX, -kFar - 1, -1), (Values{5, 4, 3, 2, 1}));
  EXPECT_EQ(slice(3, 0, -1), (Values{4, 3, 2}));
  expect_refused(call_op("Slice", {x, list({0}), list({1}), list({0}), list({0})}), "step");
  expect_refused(call_op("Slice", {x, list({0}), list({1, 2})}), "one length");
}

// ONNX clamps such an end to the last position; ONNX Runtime 1.30 takes it for what lies before the first.
TEST(Slice, BackwardsToTheLargestIntegerIsNoCall) {
  for (std::int64_t end : {kFar, std::int64_t{INT32_MAX}}) {
    expect_refused(call_op("Slice", {counting({3}), list({1}), list({end}), list({0}), list({-1})}), "ONNX Runtime");
  }
}

// One element in two pieces: ONNX's reference has 1 and 0, ONNX Runtime 1.30 an error.
TEST(Split, AnEmptyLastPieceIsNoCall) {
  expect_refused(call_op("Split", {counting({1})}, {{"num_outputs", 2}}), "ONNX Runtime");
  EXPECT_EQ(call_op("Split", {counting({3})}, {{"num_outputs", 2}}).error, "");
  EXPECT_EQ(call_op("Split", {counting({0})}, {{"num_outputs", 2}}).error, "");
}

// NumPy: np.zeros(0)[a:b:c] has no element, whatever a, b and c are.
TEST(Slice, OfNothingIsNothing) {
  for (std::int64_t start : {-kFar, std::int64_t{-1}, std::int64_t{0}, kFar}) {
    EXPECT_EQ(call_op("Slice", {counting({0}), list({start}), list({-kFar}), list({0}), list({-1})}).shape(), Extents{0})
        << start;
    EXPECT_EQ(call_op("Slice", {counting({0}), list({start}), list({kFar}), list({0}), list({2})}).shape(), Extents{0}) << start;
  }
}

TEST(Slice, PlainSlicesDoNotClamp) {
  Attributes inside{{"starts", tuple({1})}, {"limits", tuple({5})}, {"strides", tuple({3})}};
  expect_values(call_op("slice", {counting({5})}, inside), {2}, {2, 5});
  expect_refused(call_op("slice", {counting({5})}, {{"starts", tuple({0})}, {"limits", tuple({6})}}), "limits");
}

TEST(Slice, ComputedStartsAreClamped) {
  Tensor x = counting({5});
  auto at = [&](std::int64_t start) {
    return call_op("dynamic_slice", {x, std::vector<Tensor>{ints({}, {start})}}, {{"slice_sizes", tuple({2})}}).values();
  };
  EXPECT_EQ(at(1), (Values{2, 3}));
  EXPECT_EQ(at(4), (Values{4, 5}));
  EXPECT_EQ(at(-3), (Values{1, 2}));
  Called updated = call_op("dynamic_update_slice", {x, floats({2}, {8, 9}), std::vector<Tensor>{ints({}, {9})}});
  expect_values(updated, {5}, {1, 2, 3, 8, 9});
}

TEST(Slice, Reverses) { expect_values(call_op("reverse", {counting({2, 2})}, {{"axes", tuple({1})}}), {2, 2}, {2, 1, 4, 3}); }

TEST(Pad, ByEachMode) {
  Tensor x = counting({3});
  auto pad = [&](const std::string& mode, std::int64_t before, std::int64_t after) {
    return call_op("Pad", {x, list({before, after})}, {{"mode", text(mode)}}).values();
  };
  EXPECT_EQ(pad("constant", 1, 2), (Values{0, 1, 2, 3, 0, 0}));
  EXPECT_EQ(pad("constant", -1, 1), (Values{2, 3, 0}));
  EXPECT_EQ(pad("edge", 2, 1), (Values{1, 1, 1, 2, 3, 3}));
  EXPECT_EQ(pad("reflect", 2, 2), (Values{3, 2, 1, 2, 3, 2, 1}));
  EXPECT_EQ(pad("wrap", 2, 2), (Values{2, 3, 1, 2, 3, 1, 2}));
  expect_values(call_op("Pad", {counting({1, 2}), list({1, 1}), floats({}, {7}), list({1})}), {1, 4}, {7, 1, 2, 7});
  expect_refused(call_op("Pad", {x, list({3, 0})}, {{"mode", text("reflect")}}), "smaller");
  expect_refused(call_op("Pad", {x, list({-2, -2})}), "size");
}

// ONNX Runtime refuses the first and makes zeros of what wraps around twice; numpy.pad, ONNX's reference, goes round again.
TEST(Pad, RepeatsWhatIsLeftAndOnceAround) {
  Tensor x = counting({3});
  auto pad = [&](const std::string& mode, std::int64_t before, std::int64_t after) {
    return call_op("Pad", {x, list({before, after})}, {{"mode", text(mode)}});
  };
  expect_refused(pad("edge", -3, 1), "nothing is left to repeat");
  expect_refused(pad("edge", 4, -4), "nothing is left to repeat");
  expect_values(pad("edge", -2, 2), {3}, {3, 3, 3});
  expect_refused(pad("wrap", 4, 0), "ONNX Runtime");
  expect_refused(pad("wrap", 0, 4), "ONNX Runtime");
  expect_values(pad("wrap", 3, 3), {9}, {1, 2, 3, 1, 2, 3, 1, 2, 3});
}

TEST(Pad, InteriorAndNegativeAmounts) {
  auto pad = [](std::int64_t low, std::int64_t high, std::int64_t interior) {
    return call_op("pad", {counting({3}), floats({}, {0})},
                   {{"low", tuple({low})}, {"high", tuple({high})}, {"interior", tuple({interior})}})
        .values();
  };
  EXPECT_EQ(pad(0, 0, 1), (Values{1, 0, 2, 0, 3}));
  EXPECT_EQ(pad(-1, 1, 1), (Values{0, 2, 0, 3, 0}));
  EXPECT_EQ(pad(1, -3, 2), (Values{0, 1, 0, 0, 2}));
}

TEST(Gather, CountsNegativeIndicesFromTheEnd) {
  Tensor x = counting({3, 2});
  expect_values(call_op("Gather", {x, list({-1, 0})}), {2, 2}, {5, 6, 1, 2});
  expect_values(call_op("Gather", {x, ints({}, {1})}, {{"axis", 1}}), {3}, {2, 4, 6});
  expect_values(call_op("GatherElements", {x, ints({2, 2}, {0, -1, 1, 0})}), {2, 2}, {1, 6, 3, 2});
  expect_values(call_op("GatherND", {x, ints({2, 2}, {0, 1, 2, 0})}), {2}, {2, 5});
  expect_refused(call_op("Gather", {x, list({3})}), "a position must not lie behind the last element");
}

TEST(Gather, OneHotAlongAnAxis) {
  expect_values(call_op("OneHot", {list({1, -1}), ints({}, {3}), floats({2}, {0, 5})}), {2, 3}, {0, 5, 0, 0, 0, 5});
  expect_values(call_op("OneHot", {list({1, 7}), ints({}, {2}), floats({2}, {0, 5})}, {{"axis", 0}}), {2, 2}, {0, 0, 5, 0});
}

TEST(ScatterElements, TheLastUpdateOfAPlaceCounts) {
  Tensor x = counting({3, 2});
  expect_values(call_op("ScatterElements", {x, ints({2, 2}, {0, -1, 0, 1}), floats({2, 2}, {7, 8, 9, 10})}), {3, 2},
                {9, 2, 3, 10, 5, 8});
  expect_values(call_op("ScatterElements", {x, ints({2, 1}, {1, -2}), floats({2, 1}, {7, 8})}, {{"axis", 1}}), {3, 2},
                {1, 7, 8, 4, 5, 6});
}

TEST(ScatterElements, ReductionsWrapAndOrderAsTheirTypeDoes) {
  Attributes add{{"reduction", text("add")}};
  Attributes most{{"reduction", text("max")}};
  expect_values(
      call_op("ScatterElements", {ints({2}, {127, 0}, DType::Int8), list({0, -2}), ints({2}, {1, 1}, DType::Int8)}, add), {2},
      {-127, 0});
  auto big = static_cast<std::int64_t>(std::uint64_t{1} << 63);
  expect_values(call_op("ScatterElements", {ints({1}, {5}, DType::UInt64), list({0}), ints({1}, {big}, DType::UInt64)}, most),
                {1}, {9223372036854775808.0});
}

TEST(ScatterElements, IndicesThatAreOutOfRangeAreRefused) {
  expect_refused(call_op("ScatterElements", {floats({2}, {1, 2}), list({2}), floats({1}, {9})}), "out of range");
  expect_refused(call_op("scatter_rows", {floats({2, 1}, {1, 2}), list({-3}), floats({1, 1}, {9})}), "out of range");
}

TEST(Constant, FromSizesAndAttributes) {
  expect_values(call_op("ConstantOfShape", {list({2})}), {2}, {0, 0});
  AttrValue five(std::make_shared<const Tensor>(list({5})));
  expect_values(call_op("ConstantOfShape", {list({2})}, {{"value", five}}), {2}, {5, 5});
  expect_values(call_op("Range", {ints({}, {10}), ints({}, {4}), ints({}, {-3})}), {2}, {10, 7});
  expect_values(call_op("Range", {floats({}, {1}), floats({}, {2}), floats({}, {0.5})}), {2}, {1, 1.5});
  EXPECT_EQ(call_op("Range", {ints({}, {4}), ints({}, {1}), ints({}, {1})}).shape(), Extents{0});
  expect_values(call_op("iota", {}, {{"shape", tuple({2, 2})}, {"axis", 1}}), {2, 2}, {0, 1, 0, 1});
  expect_values(call_op("EyeLike", {counting({2, 2})}, {{"k", 1}}), {2, 2}, {0, 1, 0, 0});
  expect_values(call_op("Trilu", {counting({2, 2})}, {{"upper", 0}}), {2, 2}, {1, 0, 3, 4});
  expect_values(call_op("Trilu", {counting({2, 2}), ints({}, {1})}), {2, 2}, {0, 2, 0, 0});
  expect_values(call_op("Constant", {}, {{"value_ints", tuple({4, 6})}}), {2}, {4, 6});
}

}  // namespace
}  // namespace vouch
