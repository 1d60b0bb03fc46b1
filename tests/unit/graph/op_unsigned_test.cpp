// Elements of uint64 from 2^63 on, which words with a sign have as negative numbers.
#include "calls.h"
#include "graph/contents.h"
#include "tensor/element.h"

namespace vouch {
namespace {

constexpr std::int64_t kLargest = -1;      // 2^64 - 1
constexpr std::int64_t kHalf = INT64_MIN;  // 2^63

Tensor words(std::vector<std::int64_t> values) {
  auto count = static_cast<std::int64_t>(values.size());
  return ints({count}, std::move(values), DType::UInt64);
}

std::vector<std::uint64_t> words_of(const Called& called) {
  EXPECT_EQ(called.error, "");
  if (called.results.empty() || called.results[0].dtype() != DType::UInt64) {
    return {};
  }
  auto elements = called.results[0].as<std::uint64_t>();
  return {elements.begin(), elements.end()};
}

using Words = std::vector<std::uint64_t>;
constexpr std::uint64_t kMost = 18446744073709551615ULL;

TEST(Unsigned, Quotients) {
  EXPECT_EQ(words_of(call_op("Div", {words({kLargest, kHalf, 7}), words({7, 2, kLargest})})),
            (Words{2635249153387078802ULL, 4611686018427387904ULL, 0}));
  EXPECT_EQ(words_of(call_op("Mod", {words({kLargest, 5}), words({10, kLargest})})), (Words{5, 5}));
}

TEST(Unsigned, Orders) {
  expect_values(call_op("Less", {words({kLargest, 7, kHalf}), words({7, kLargest, kLargest})}), {3}, {0, 1, 1});
  expect_values(call_op("GreaterOrEqual", {words({kLargest, 7}), words({7, kLargest})}), {2}, {1, 0});
  expect_values(call_op("Equal", {words({kLargest, kHalf}), words({kLargest, 0})}), {2}, {1, 0});
  EXPECT_EQ(words_of(call_op("Max", {std::vector<Tensor>{words({kLargest, 3}), words({7, kHalf})}})),
            (Words{kMost, 9223372036854775808ULL}));
  EXPECT_EQ(words_of(call_op("Clip", {words({3, kLargest, 9}), {}, ints({}, {kHalf}, DType::UInt64)})),
            (Words{3, 9223372036854775808ULL, 9}));
}

TEST(Unsigned, Reductions) {
  EXPECT_EQ(words_of(call_op("ReduceMax", {words({3, kLargest, 9})}, {{"keepdims", 1}})), Words{kMost});
  EXPECT_EQ(words_of(call_op("ReduceMin", {words({3, kLargest, 9})}, {{"keepdims", 1}})), Words{3});
  EXPECT_EQ(words_of(call_op("ReduceSum", {words({kLargest, 3})}, {{"keepdims", 1}})), Words{2});
}

TEST(Unsigned, Conversions) {
  expect_values(call_op("CastLike", {words({kLargest, kHalf, 5}), Tensor(DType::Float64, {1})}), {3}, {0x1p64, 0x1p63, 5});
  expect_values(call_op("CastLike", {words({kLargest, 300}), Tensor(DType::UInt8, {1})}), {2}, {255, 44});
}

TEST(Unsigned, Moves) {
  EXPECT_EQ(words_of(call_op("Transpose", {words({kLargest, 1})})), (Words{kMost, 1}));
  EXPECT_EQ(words_of(call_op("Add", {words({kLargest, 1}), words({1, kHalf})})), (Words{0, 9223372036854775809ULL}));
}

TEST(Unsigned, KnownElementsAreTheNumbers) {
  auto contents = contents_of(words({kLargest, 3}));
  ASSERT_TRUE(contents.has_value());
  EXPECT_EQ((*contents)[0], int_const(Integer(kMost)));
  EXPECT_EQ((*contents)[1], Term(3));
  EXPECT_EQ(whole_element(words({kHalf}), 0), Integer(1) << 63U);
  EXPECT_EQ(whole_element(ints({1}, {-1}), 0), Integer(-1));
}

}  // namespace
}  // namespace vouch
