// Element-wise operators on values worked out by hand.
#include <cmath>
#include <limits>

#include "calls.h"
#include "tensor/element.h"

namespace vouch {
namespace {

TEST(Arithmetic, Broadcasts) {
  expect_values(call_op("Add", {floats({2, 1}, {1, 2}), floats({3}, {10, 20, 30})}), {2, 3}, {11, 21, 31, 12, 22, 32});
  expect_values(call_op("Sub", {floats({2}, {1, 2}), floats({}, {5})}), {2}, {-4, -3});
}

TEST(Arithmetic, RefusesMixedElementTypes) {
  expect_refused(call_op("Add", {floats({1}, {1}), list({1})}), "element types float32 and int64");
}

TEST(Arithmetic, IntegersDivideTowardsZero) {
  expect_values(call_op("Div", {list({7, -7, 7, -7}), list({2, 2, -2, -2})}), {4}, {3, -3, -3, 3});
}

TEST(Arithmetic, RemaindersFollowDivisorOrDividend) {
  expect_values(call_op("Mod", {list({7, -7, 7, -7}), list({3, 3, -3, -3})}), {4}, {1, 2, -2, -1});
  expect_values(call_op("Mod", {list({7, -7, 7, -7}), list({3, 3, -3, -3})}, {{"fmod", 1}}), {4}, {1, -1, 1, -1});
  expect_refused(call_op("Mod", {floats({1}, {1}), floats({1}, {1})}), "fmod");
}

TEST(Arithmetic, PowersMixElementTypes) {
  expect_values(call_op("Pow", {floats({3}, {2, 3, 4}), list({3, 2, 0})}), {3}, {8, 9, 1});
}

TEST(Arithmetic, CombinesTuples) {
  std::vector<Tensor> items{floats({2}, {1, 5}), floats({2}, {4, 2}), floats({1}, {3})};
  expect_values(call_op("Sum", {items}), {2}, {8, 10});
  expect_values(call_op("Mean", {items}), {2}, {8.0 / 3, 10.0 / 3});
  expect_values(call_op("Max", {items}), {2}, {4, 5});
  expect_values(call_op("Min", {items}), {2}, {1, 2});
}

TEST(Unary, RoundsHalfToEven) {
  expect_values(call_op("Round", {floats({6}, {0.5, 1.5, 2.5, -0.5, -1.5, 0.9})}), {6}, {0, 2, 2, 0, -2, 1});
}

TEST(Unary, CastsTowardsZeroAndToBool) {
  Called whole = call_op("Cast", {floats({4}, {2.7, -2.7, 0.5, -0.5})}, {{"to", text("int32")}});
  expect_values(whole, {4}, {2, -2, 0, 0});
  EXPECT_EQ(whole.results[0].dtype(), DType::Int32);
  expect_values(call_op("Cast", {floats({3}, {0, 0.3, -2})}, {{"to", text("bool")}}), {3}, {0, 1, 1});
  expect_values(call_op("Cast", {list({300, -1})}, {{"to", text("uint8")}}), {2}, {44, 255});
}

TEST(Unary, TellsWhatIsNoNumber) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  for (DType dtype : {DType::Float16, DType::BFloat16, DType::Float32, DType::Float64}) {
    const double greatest = static_cast<double>(range_of(dtype).high);
    const std::vector<double> values{kInf, -kInf, std::nan(""), greatest, -greatest, 0, 1};
    Tensor x = Tensor::of_doubles(dtype, {7}, values);
    expect_values(call_op("IsNaN", {x}), {7}, {0, 0, 1, 0, 0, 0, 0});
    expect_values(call_op("IsInf", {x}), {7}, {1, 1, 0, 0, 0, 0, 0});
    expect_values(call_op("IsInf", {x}, {{"detect_negative", 0}}), {7}, {1, 0, 0, 0, 0, 0, 0});
    expect_values(call_op("IsInf", {x}, {{"detect_positive", 0}}), {7}, {0, 1, 0, 0, 0, 0, 0});
    expect_values(call_op("IsInf", {x}, {{"detect_positive", 0}, {"detect_negative", 0}}), {7}, {0, 0, 0, 0, 0, 0, 0});
  }
  EXPECT_EQ(call_op("IsNaN", {floats({1}, {1})}).results[0].dtype(), DType::Bool);
  expect_refused(call_op("IsNaN", {list({1})}), "floats");
  expect_refused(call_op("IsInf", {list({1})}), "floats");
}

TEST(Unary, NeedsFloats) { expect_refused(call_op("Exp", {list({1})}), "floats"); }

TEST(Unary, DropoutKeepsEverything) {
  expect_values(call_op("Dropout", {floats({2}, {1, 2})}), {2}, {1, 2});
  expect_values(call_op("DropoutMask", {floats({2}, {1, 2})}), {2}, {1, 1});
  expect_refused(call_op("Dropout", {floats({1}, {1}), floats({}, {0.5}), ints({}, {1}, DType::Bool)}), "random");
}

TEST(Activation, FollowsItsFormula) {
  Tensor x = floats({4}, {-4, -1, 0, 2});
  expect_values(call_op("Relu", {x}), {4}, {0, 0, 0, 2});
  expect_values(call_op("LeakyRelu", {x}, {{"alpha", number(0.5)}}), {4}, {-2, -0.5, 0, 2});
  expect_values(call_op("HardSigmoid", {x}), {4}, {0, 0.3, 0.5, 0.9});
  expect_values(call_op("HardSwish", {x}), {4}, {0, -1.0 / 3, 0, 5.0 / 3});
  expect_values(call_op("Sigmoid", {floats({2}, {0, 1})}), {2}, {0.5, 0.7310585786});
  expect_values(call_op("ThresholdedRelu", {x}), {4}, {0, 0, 0, 2});
  expect_values(call_op("Shrink", {x}, {{"lambd", number(1.5)}, {"bias", number(1)}}), {4}, {-3, 0, 0, 1});
  expect_values(call_op("Elu", {floats({2}, {-1, 3})}), {2}, {-0.6321205588, 3});
  expect_values(call_op("Softplus", {floats({3}, {0, 1000, -1000})}), {3}, {0.6931471806, 1000, 0});
}

TEST(Activation, GeluByErfAndByTanh) {
  expect_values(call_op("Gelu", {floats({2}, {1, -1})}), {2}, {0.8413447461, -0.1586552539});
  expect_values(call_op("Gelu", {floats({2}, {1, -1})}, {{"approximate", text("tanh")}}), {2}, {0.8411919906, -0.1588080094});
  expect_refused(call_op("Gelu", {floats({1}, {1})}, {{"approximate", text("tan")}}), "did you mean 'tanh'?");
}

TEST(Activation, SlopeBroadcastsToTheInputOnly) {
  expect_values(call_op("PRelu", {floats({2, 2}, {-1, -2, 3, -4}), floats({2, 1}, {2, 10})}), {2, 2}, {-2, -4, 3, -40});
  expect_refused(call_op("PRelu", {floats({1}, {-1}), floats({2}, {2, 3})}), "does not broadcast");
}

TEST(Activation, ClipMayLackBounds) {
  Tensor x = floats({3}, {-5, 0, 5});
  expect_values(call_op("Clip", {x, floats({}, {-1}), floats({}, {1})}), {3}, {-1, 0, 1});
  expect_values(call_op("Clip", {x, std::monostate(), floats({}, {1})}), {3}, {-5, 0, 1});
  expect_values(call_op("Clip", {x}), {3}, {-5, 0, 5});
  // Contradicting bounds: the upper one wins.
  expect_values(call_op("Clip", {x, floats({}, {4}), floats({}, {2})}), {3}, {2, 2, 2});
}

TEST(Activation, ClampTakesScalarsOrTensors) {
  expect_values(call_op("clamp", {floats({}, {0}), floats({2}, {-1, 9}), floats({2}, {5, 6})}), {2}, {0, 6});
}

TEST(Logic, Compares) {
  Tensor a = list({1, 2, 3});
  Tensor b = list({2});
  expect_values(call_op("Equal", {a, b}), {3}, {0, 1, 0});
  expect_values(call_op("Less", {a, b}), {3}, {1, 0, 0});
  expect_values(call_op("LessOrEqual", {a, b}), {3}, {1, 1, 0});
  expect_values(call_op("Greater", {a, b}), {3}, {0, 0, 1});
  expect_values(call_op("GreaterOrEqual", {a, b}), {3}, {0, 1, 1});
  EXPECT_EQ(call_op("Less", {a, b}).results[0].dtype(), DType::Bool);
}

TEST(Logic, CompareTakesADirection) {
  Tensor a = floats({3}, {1, 2, 3});
  Tensor b = floats({3}, {2, 2, 2});
  const std::vector<std::pair<std::string, Values>> cases{{"EQ", {0, 1, 0}}, {"NE", {1, 0, 1}}, {"LT", {1, 0, 0}},
                                                          {"LE", {1, 1, 0}}, {"GT", {0, 0, 1}}, {"GE", {0, 1, 1}}};
  for (const auto& [direction, expected] : cases) {
    expect_values(call_op("compare", {a, b}, {{"direction", text(direction)}}), {3}, expected);
  }
}

TEST(Logic, TruthFunctions) {
  Tensor a = ints({4}, {0, 0, 1, 1}, DType::Bool);
  Tensor b = ints({4}, {0, 1, 0, 1}, DType::Bool);
  expect_values(call_op("And", {a, b}), {4}, {0, 0, 0, 1});
  expect_values(call_op("Or", {a, b}), {4}, {0, 1, 1, 1});
  expect_values(call_op("Xor", {a, b}), {4}, {0, 1, 1, 0});
  expect_values(call_op("Not", {a}), {4}, {1, 1, 0, 0});
  expect_refused(call_op("Not", {list({1})}), "bool");
}

TEST(Logic, WhereBroadcastsAllThree) {
  Tensor p = ints({2, 1}, {1, 0}, DType::Bool);
  expect_values(call_op("Where", {p, floats({2}, {1, 2}), floats({}, {9})}), {2, 2}, {1, 2, 9, 9});
  expect_values(call_op("select", {ints({}, {0}, DType::Bool), floats({2}, {1, 2}), floats({2}, {3, 4})}), {2}, {3, 4});
  expect_refused(call_op("select", {p, floats({2}, {1, 2}), floats({2}, {3, 4})}), "rank");
}

}  // namespace
}  // namespace vouch
