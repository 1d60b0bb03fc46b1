// Copies that a kernel reads instead of its inputs: the same bits.
#include "build/stage.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "../certify/parsed_kernel.h"
#include "array/eval.h"
#include "build/arrange.h"
#include "build/compose.h"
#include "certify/index_plan.h"
#include "random_cells.h"

namespace vouch {
namespace {

std::vector<array::Cells> inputs_of(const IndexKernel& kernel) {
  std::vector<array::Cells> out;
  for (const array::Parameter& input : kernel.inputs) {
    out.push_back(random_cells(array::cell_count(input.type, {}), 5 + static_cast<unsigned>(out.size())));
  }
  return out;
}

array::Cells run(const IndexKernel& kernel, const std::vector<array::Cells>& inputs) {
  return array::evaluate(lower_index(kernel, std::nullopt), {}, inputs);
}

void expect_bits(const array::Cells& found, const array::Cells& expected) {
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof(float)), 0);
}

void expect_same(const IndexKernel& kernel, const std::optional<Staged>& stage) {
  ASSERT_TRUE(stage.has_value());
  std::vector<array::Cells> inputs = inputs_of(kernel);
  std::vector<array::Cells> given = inputs;
  given[stage->input] = run(stage->copy, {inputs[stage->input]});
  expect_bits(run(stage->kernel, given), run(kernel, inputs));
}

void expect_staged(const std::string& text) {
  IndexKernel kernel = arranged(parsed(text));
  auto stage = staged(kernel);
  expect_same(kernel, stage);
  EXPECT_FALSE(staged(stage->kernel).has_value());
}

TEST(Stage, StepsAreSideBySide) {
  expect_staged(
      "kernel c; in X, W; out Y; Y<40, 9, 10>[f, y, x] = X<8, 19, 21>[c, 2 * y + r, 2 * x + s] * W<40, 8, 3, 3>[f, c, r, s];");
}

TEST(Stage, BordersAreZeros) {
  expect_staged(
      "kernel c; in X, W; out Y; Y<40, 10, 11>[f, y, x] = select(0 <= 2 * y + r - 1 && 2 * y + r - 1 < 19 && "
      "0 <= 2 * x + s - 1 && 2 * x + s - 1 < 21, X<8, 19, 21>[c, 2 * y + r - 1, 2 * x + s - 1], 0) * "
      "W<40, 8, 3, 3>[f, c, r, s];");
}

TEST(Stage, OtherConditionsStay) {
  const char* const kRest = ", X<8, 19, 21>[c, 2 * y + r, 2 * x + s], 0) * W<40, 8, 3, 3>[f, c, r, s];";
  for (const char* condition : {"2 * x + s < 20", "x < 9", "y <= x", "!(2 * x + s < 4)"}) {
    SCOPED_TRACE(condition);
    EXPECT_FALSE(
        staged(arranged(parsed(std::string("kernel c; in X, W; out Y; Y<40, 9, 10>[f, y, x] = select(") + condition + kRest))));
  }
}

TEST(Stage, WhatIsReadTwiceOrNotInStepsOrIsSmallStays) {
  EXPECT_FALSE(
      staged(arranged(parsed("kernel c; in X, W; out Y; Y<40, 99>[f, x] = X<9, 120>[c, x + s] * W<40, 9, 9>[f, c, s];"))));
  EXPECT_FALSE(
      staged(arranged(parsed("kernel c; in X, W; out Y; Y<4, 9>[f, x] = X<2, 19>[c, 2 * x + s] * W<4, 2, 2>[f, c, s];"))));
  EXPECT_FALSE(staged(arranged(parsed(
      "kernel c; in X, W; out Y; Y<90, 99>[f, x] = X<9, 220>[c, 2 * x + s] * X<9, 220>[c, 2 * x] * W<90, 9, 9>[f, c, s];"))));
}

// Windows of one channel each, of three rows by three positions; `inside` of X<8, 20, 21> or not.
IndexKernel windows(const char* condition, const char* channel = "c", const char* column = "x + s - 1") {
  return arranged(
      parsed(fmt::format("kernel c; in X, W; out Y; Y<8, 10, 21>[c, y, x] = select({}, X<8, 20, 21>[{}, 2 * y + r - 1, {}], 0) * "
                         "W<8, 3, 3>[c, r, s];",
                         condition, channel, column)));
}
const char* const kInside = "0 <= 2 * y + r - 1 && 0 <= x + s - 1 && x + s - 1 < 21";

TEST(Stage, WindowsHaveZerosAround) {
  IndexKernel kernel = windows(kInside);
  auto stage = bordered(kernel, true);
  expect_same(kernel, stage);
  EXPECT_FALSE(bordered(stage->kernel, true).has_value());
  EXPECT_FALSE(bordered(kernel, false).has_value()) << "nine products are not worth the copy of two elements";
}

TEST(Stage, WindowsThatAllChannelsShareHaveZerosAround) {
  IndexKernel one = windows(kInside, "0");
  expect_same(one, bordered(one, true));
  IndexKernel all = arranged(
      parsed("kernel c; in X, W; out Y; Y<24, 13, 13>[f, y, x] = select(0 <= y + r - 1 && y + r - 1 < 13 && 0 <= x + s - 1 && "
             "x + s - 1 < 13, X<5, 13, 13>[c, y + r - 1, x + s - 1], 0) * W<24, 5, 3, 3>[f, c, r, s];"));
  auto stage = bordered(all, false);
  expect_same(all, stage);
  ASSERT_EQ(stage->copy.output.extents.size(), 3U);
  EXPECT_EQ(stage->copy.output.extents[2]->value, 15);
}

TEST(Stage, WindowsUnderOtherConditionsOrInStepsStay) {
  EXPECT_FALSE(bordered(windows("0 <= 2 * y + r - 1 && x + s - 1 < 20"), true));
  EXPECT_FALSE(bordered(windows("0 <= 2 * y + r - 1 && 2 * x + s < 21", "c", "2 * x + s"), true));
}

TEST(Compose, AnElementInPlaceOfARead) {
  IndexKernel outer = parsed("kernel o; in A, X; out Y; Y<4, 5>[i, j] = A<5>[j] + X<4, 7>[i, j + 1] * 2;");
  IndexKernel inner = parsed("kernel p; in U, V; out X; X<4, 7>[i, j] = max(U<7, 4>[j, i], V<4>[i]);");
  auto both = composed(outer, 1, inner);
  ASSERT_TRUE(both.has_value());
  std::vector<array::Cells> inputs = inputs_of(*both);
  ASSERT_EQ(inputs.size(), 3U);
  expect_bits(run(*both, inputs), run(outer, {inputs[0], run(inner, {inputs[1], inputs[2]})}));
}

TEST(Compose, OutsideIsZeroWhateverTheElementWouldBe) {
  IndexKernel outer = parsed("kernel o; in X; out Y; Y<6>[i] = X<6>[i];");
  outer.output.extents = {array::size_const(9)};
  auto both = composed(outer, 0, parsed("kernel p; in U; out X; X<6>[i] = exp(U<6>[i]);"));
  ASSERT_TRUE(both.has_value());
  array::Cells found = run(*both, {random_cells(6, 1)});
  EXPECT_EQ((array::Cells{found[6], found[7], found[8]}), (array::Cells{0, 0, 0}));
  EXPECT_FALSE(composed(outer, 0, parsed("kernel p; in U; out X; X<5>[i] = exp(U<5>[i]);")));
  EXPECT_FALSE(composed(outer, 0, parsed("kernel p; in U; out X; X<6>[i] = U<6, 3>[i, k];")));
}

}  // namespace
}  // namespace vouch
