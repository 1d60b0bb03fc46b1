// Tiles of lanes: where they are used, and that every element is still the same sum in the same order, bit for bit.
#include "certify/index_plan.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "array/eval.h"
#include "kernel/tk_parse.h"

namespace vouch {
namespace {

IndexKernel parsed(const std::string& text) {
  Diagnostics diagnostics;
  auto kernel = parse_tk(std::make_shared<Source>("kernel", text), {}, {}, diagnostics);
  EXPECT_TRUE(kernel.has_value()) << diagnostics.text();
  auto parts = index_kernels(kernel.value(), diagnostics);
  EXPECT_TRUE(parts.has_value()) << diagnostics.text();
  return parts.value().at(0);
}

// Random inputs, among them infinities and zeros of both signs: a term that is left out shows, and so does one too many.
std::vector<array::Cells> inputs_of(const array::Program& program) {
  std::mt19937 random(7);
  std::vector<array::Cells> inputs;
  for (const array::Parameter& input : program.inputs) {
    array::Cells cells(array::cell_count(input.type, {}));
    for (float& x : cells) {
      auto draw = random() % 1000;
      x = draw == 0 ? INFINITY : draw == 1 ? -0.0F : (static_cast<float>(draw) - 500) / 64;
    }
    inputs.push_back(std::move(cells));
  }
  return inputs;
}

void expect_same(const IndexKernel& kernel, const std::optional<IndexTiling>& tiling) {
  ASSERT_TRUE(tiling);
  array::Program elements = lower_index(kernel, std::nullopt);
  array::Program tiles = lower_index(kernel, tiling);
  array::Cells expected = array::evaluate(elements, {}, inputs_of(elements));
  array::Cells found = array::evaluate(tiles, {}, inputs_of(tiles));
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof(float)), 0);
}

TEST(IndexTile, LanesWithSomeLeftOverBordersAndAnInputCopiedWithZerosAround) {
  IndexKernel kernel = parsed(
      "kernel g; in D, W; out X; X<1, 20, 12, 11>[n, c, y, x] = select(y - r >= 0 && y - r < 10 && x - s >= 0 && x - s < 9, "
      "D<1, 16, 10, 9>[n, k, y - r, x - s] * W<16, 20, 3, 3>[k, c, r, s], 0);");
  auto tiling = plan_index(kernel);
  expect_same(kernel, tiling);
  EXPECT_EQ(tiling->copies.size(), 2U);
}

TEST(IndexTile, BlocksOfLanesInACopy) {
  IndexKernel kernel = parsed(
      "kernel f; in X, W; out Y; Y<1, 32, 12, 10>[n, k, p, q] = X<1, 12, 14, 12>[n, c, p + r, q + s] * W<32, 12, 3, 3>[k, c, r, "
      "s];");
  expect_same(kernel, plan_index(kernel));
}

TEST(IndexTile, AProductOfMatricesNeedsNoCopy) {
  IndexKernel kernel = parsed("kernel m; in A, B; out C; C<70, 75>[i, j] = A<70, 64>[i, k] * B<64, 75>[k, j];");
  auto tiling = plan_index(kernel);
  expect_same(kernel, tiling);
  EXPECT_TRUE(tiling->copies.empty());
}

TEST(IndexTile, APlanByHandWithTilesOfTilesAndSplitAxes) {
  IndexKernel kernel = parsed("kernel m; in A, B; out C; C<5, 6>[i, j] = A<5, 3>[i, k] * B<3, 6>[k, j];");
  auto tiles = [](int count, int width, unsigned inner, IndexPlan rest) {
    return IndexPlan{IndexPlanKind::Tiles, array::LoopKind::Seq, array::size_const(0), count, width, inner, {std::move(rest)}};
  };
  auto split = [](int first, int second, IndexPlan a, IndexPlan b) {
    return IndexPlan{IndexPlanKind::Split,        array::LoopKind::Seq, array::size_const(0), first, second, 0,
                     {std::move(a), std::move(b)}};
  };
  IndexPlan columns = split(2, 4, tiles(1, 2, 1, {}), tiles(2, 2, 0, {}));
  expect_same(kernel, IndexTiling{{}, split(4, 1, tiles(2, 2, 0, columns), tiles(1, 1, 0, columns))});
}

TEST(IndexTile, SmallKernelsAndNamedSizesKeepTheirPlainText) {
  EXPECT_FALSE(plan_index(parsed("kernel m; in A, B; out C; C<6, 7>[i, j] = A<6, 5>[i, k] * B<5, 7>[k, j];")));
  EXPECT_FALSE(plan_index(parsed("kernel m; in A, B; out C; C<n, 900>[i, j] = A<n, 900>[i, k] * B<900, 900>[k, j];")));
}

}  // namespace
}  // namespace vouch
