// Copies in pieces: the same bits, and nothing is asked of an index where the answer is known.
#include "build/copy_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "../certify/parsed_kernel.h"
#include "array/eval.h"
#include "build/arrange.h"
#include "build/stage.h"
#include "certify/index_plan.h"
#include "lower/tests.h"
#include "random_cells.h"

namespace vouch {
namespace {

// The text of the copy's loops; the cells are those without a plan.
std::string planned_text(const IndexKernel& copy) {
  auto tiling = copy_plan(copy);
  EXPECT_TRUE(tiling.has_value());
  array::Program program = lower_index(copy, tiling);
  std::vector<array::Cells> given{random_cells(array::cell_count(copy.inputs[0].type, {}), 3)};
  array::Cells found = array::evaluate(program, {}, given);
  array::Cells expected = array::evaluate(lower_index(copy, std::nullopt), {}, given);
  EXPECT_EQ(found.size(), expected.size());
  EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof(float)), 0);
  return array::kernel_text(program);
}

std::size_t questions(const std::string& text) {
  return static_cast<std::size_t>(
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find("static int")), '?'));
}

TEST(CopyPlan, BordersAndStepsAreApart) {
  auto stage = staged(arranged(
      parsed("kernel c; in X, W; out Y; Y<16, 40, 40>[f, y, x] = select(1 <= 2 * y + r && 2 * y + r < 81 && 1 <= 2 * x + s && "
             "2 * x + s < 81, X<3, 80, 80>[c, 2 * y + r - 1, 2 * x + s - 1], 0) * W<16, 3, 3, 3>[f, c, r, s];")));
  ASSERT_TRUE(stage.has_value());
  EXPECT_LE(questions(planned_text(stage->copy)), 1U);
}

TEST(CopyPlan, WhereNothingIsAskedOrLittleIsCopiedNoneIsMade) {
  EXPECT_FALSE(copy_plan(parsed("kernel c; in X; out Y; Y<80, 80>[i, j] = X<80, 80>[j, i];")));
  EXPECT_FALSE(copy_plan(parsed("kernel c; in X; out Y; Y<8, 9>[i, j] = select(j < 8, X<8, 8>[i, j], 0);")));
  EXPECT_FALSE(copy_plan(parsed("kernel c; in X; out Y; Y<80, 80>[i, j] = select((i + j) % 2 == 0, X<80, 80>[i, j], 0);")));
}

}  // namespace
}  // namespace vouch
