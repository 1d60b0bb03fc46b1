// Operators that the table leaves alone, on numbers. That they agree with ONNX's own data is shown by property/conformance; here
// are corners that those data have not, worked out by hand from ONNX's Operators.md.
#include "io/onnx_evaluate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "io/onnx_proto.h"

namespace vouch {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

Tensor floats(Extents extents, const std::vector<double>& values) { return Tensor::of_doubles(DType::Float32, extents, values); }
Tensor ints(Extents extents, const std::vector<std::int64_t>& values, DType dtype = DType::Int64) {
  return Tensor::of_ints(dtype, extents, values);
}

class Call {
 public:
  explicit Call(const char* op) { node_.set_op_type(op); }
  Call& with(Tensor operand) {
    node_.add_input("x" + std::to_string(operands_.size()));
    operands_.push_back(std::move(operand));
    return *this;
  }
  Call& without() {
    node_.add_input("");
    return *this;
  }
  Call& integer(const char* name, std::int64_t value) {
    auto* attribute = node_.add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto::INT);
    attribute->set_i(value);
    return *this;
  }
  Call& text(const char* name, const char* value) {
    auto* attribute = node_.add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto::STRING);
    attribute->set_s(value);
    return *this;
  }
  // Results that are declared so; sizes that are left open are variables.
  std::optional<std::vector<Tensor>> gives(std::vector<std::pair<DType, std::size_t>> declared) {
    std::vector<Type> types;
    for (auto [dtype, rank] : declared) {
      std::vector<Term> extents;
      for (std::size_t axis = 0; axis < rank; ++axis) {
        extents.push_back(int_var(Symbol("n" + std::to_string(axis))));
      }
      types.push_back(Type::tensor(dtype, extents));
      node_.add_output("y" + std::to_string(types.size()));
    }
    return evaluate_onnx({"", node_.op_type(), message_bytes(node_), false, types}, operands_, MemoryBudget(most_bytes), why);
  }
  std::string why;
  std::int64_t most_bytes = 8000;

 private:
  onnx::NodeProto node_;
  std::vector<Tensor> operands_;
};

using Results = std::vector<Tensor>;

TEST(OnnxEvaluate, OfEqualElementsTopKTakesTheFirst) {
  Call call("TopK");
  auto found = call.with(floats({4}, {2, 7, 7, 2})).with(ints({1}, {3})).gives({{DType::Float32, 1}, {DType::Int64, 1}});
  EXPECT_EQ(found, Results({floats({3}, {7, 7, 2}), ints({3}, {1, 2, 0})})) << call.why;
  Call least("TopK");
  found = least.with(floats({4}, {2, 7, 7, 2}))
              .with(ints({1}, {3}))
              .integer("largest", 0)
              .gives({{DType::Float32, 1}, {DType::Int64, 1}});
  EXPECT_EQ(found, Results({floats({3}, {2, 2, 7}), ints({3}, {0, 3, 1})})) << least.why;
}

// Above 2^63 an unsigned number is no negative one.
TEST(OnnxEvaluate, UnsignedNumbersAreOrderedAsSuch) {
  auto big = static_cast<std::int64_t>(std::uint64_t{1} << 63);
  Call call("TopK");
  auto found = call.with(ints({2}, {5, big}, DType::UInt64)).with(ints({1}, {1})).gives({{DType::UInt64, 1}, {DType::Int64, 1}});
  EXPECT_EQ(found, Results({ints({1}, {big}, DType::UInt64), ints({1}, {1})})) << call.why;
}

TEST(OnnxEvaluate, WhatHasNoOrderIsRefused) {
  for (const char* op : {"TopK", "Unique"}) {
    Call call(op);
    EXPECT_FALSE(call.with(floats({2}, {1, kNan})).with(ints({1}, {1})).gives({{DType::Float32, 1}, {DType::Int64, 1}}));
    EXPECT_EQ(call.why, "a NaN has no place in an order");
  }
}

TEST(OnnxEvaluate, NonZeroCountsNaNAndNoZeroOfEitherSign) {
  Call call("NonZero");
  auto found = call.with(floats({2, 2}, {0.0, kNan, -0.0, -3})).gives({{DType::Int64, 2}});
  EXPECT_EQ(found, Results({ints({2, 2}, {0, 1, 1, 1})})) << call.why;
  Call scalar("NonZero");
  EXPECT_EQ(scalar.with(floats({}, {5})).gives({{DType::Int64, 2}}), Results({Tensor(DType::Int64, {0, 1})})) << scalar.why;
}

TEST(OnnxEvaluate, BitsOfShapesThatAreBroadcast) {
  Call call("BitwiseXor");
  auto found = call.with(ints({2, 1}, {5, -1}, DType::Int8)).with(ints({2}, {3, 0}, DType::Int8)).gives({{DType::Int8, 2}});
  EXPECT_EQ(found, Results({ints({2, 2}, {6, 5, -4, -1}, DType::Int8)})) << call.why;
  Call shift("BitShift");
  EXPECT_FALSE(shift.with(ints({1}, {1}, DType::UInt8))
                   .with(ints({1}, {8}, DType::UInt8))
                   .text("direction", "LEFT")
                   .gives({{DType::UInt8, 1}}));
  EXPECT_EQ(shift.why, "a shift of 8 bits by 8 has no meaning");
}

// Without `max_output_boxes_per_class` none is kept; operands may be left out in between.
TEST(OnnxEvaluate, BoxesWithoutABound) {
  Tensor boxes = floats({1, 2, 4}, {0, 0, 1, 1, 0, 5, 1, 6});
  Tensor scores = floats({1, 1, 2}, {0.5, 0.9});
  Call none("NonMaxSuppression");
  EXPECT_EQ(none.with(boxes).with(scores).gives({{DType::Int64, 2}}), Results({Tensor(DType::Int64, {0, 3})})) << none.why;
  Call some("NonMaxSuppression");
  auto found = some.with(boxes).with(scores).with(ints({1}, {9})).without().with(floats({1}, {0.6})).gives({{DType::Int64, 2}});
  EXPECT_EQ(found, Results({ints({1, 3}, {0, 0, 1})})) << some.why;
}

// Two lists of 100 bytes make 10,000, and a grid of positions a picture of any size.
TEST(OnnxEvaluate, WhatWouldBeTooLargeIsRefused) {
  Call call("BitwiseAnd");
  Tensor column = Tensor(DType::Int8, {100, 1});
  EXPECT_FALSE(call.with(column).with(Tensor(DType::Int8, {100})).gives({{DType::Int8, 2}}));
  EXPECT_TRUE(call.why.starts_with("it would take ")) << call.why;
  Call grid("GridSample");
  EXPECT_FALSE(grid.with(Tensor(DType::Float32, {1, 100, 1, 1}))
                   .with(Tensor(DType::Float32, {1, 1, 100, 2}))
                   .gives({{DType::Float32, 4}}));
  EXPECT_TRUE(grid.why.starts_with("it would take ")) << grid.why;
}

// Reflected at the edges an infinity comes to no pixel.
TEST(OnnxEvaluate, PositionsThatAreInfinite) {
  for (const char* padding : {"zeros", "border", "reflection"}) {
    for (const char* mode : {"nearest", "bilinear", "bicubic"}) {
      Call call("GridSample");
      call.text("padding_mode", padding).text("mode", mode);
      auto found = call.with(floats({1, 1, 1, 2}, {3, 3})).with(floats({1, 1, 1, 2}, {kInf, 0})).gives({{DType::Float32, 4}});
      ASSERT_TRUE(found) << call.why;
      EXPECT_EQ((*found)[0].extents(), Extents({1, 1, 1, 1}));
    }
  }
}

TEST(OnnxEvaluate, WhatIsDeclaredOtherwiseIsRefused) {
  Call call("NonZero");
  EXPECT_FALSE(call.with(floats({2}, {1, 2})).gives({{DType::Bool, 2}}));
  EXPECT_NE(call.why.find("would be int64[1, 2]"), std::string::npos) << call.why;
}

TEST(OnnxEvaluate, OfOtherOperatorsNothingIsKnown) {
  std::string why = "something";
  EXPECT_FALSE(evaluate_onnx({"com.acme", "TopK", "", false, {}}, {}, MemoryBudget(1000), why));
  EXPECT_EQ(why, "");
  EXPECT_FALSE(evaluate_onnx({"", "RandomNormal", "", false, {}}, {}, MemoryBudget(1000), why));
  EXPECT_EQ(why, "");
}

}  // namespace
}  // namespace vouch
