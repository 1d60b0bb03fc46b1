// Plans that are cut for smaller registers: no tile is larger than the target's, and every element is the same sum, bit for bit.
#include "certify/index_narrow.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "array/eval.h"
#include "array/print.h"
#include "parsed_kernel.h"

namespace vouch {
namespace {

std::vector<array::Cells> finite_inputs(const array::Program& program) {
  std::mt19937 random(3);
  std::vector<array::Cells> inputs;
  for (const array::Parameter& input : program.inputs) {
    array::Cells cells(array::cell_count(input.type, {}));
    for (float& x : cells) {
      x = (static_cast<float>(random() % 1000) - 500) / 64;
    }
    inputs.push_back(std::move(cells));
  }
  return inputs;
}

std::vector<Integer> numbers(const std::vector<array::Size>& extents) {
  std::vector<Integer> out;
  std::transform(extents.begin(), extents.end(), std::back_inserter(out), [](const array::Size& n) { return n->value; });
  return out;
}

// The widest tiles, for caches that hold little.
constexpr TileTarget kSmallCaches = {"small", 16, 64, 6, 1 << 10, 1};

// Whether the plan had larger tiles.
bool is_narrowed(const std::string& text, const char* name, CopyPlace place, const TileTarget& wide_target = kTileTargets[0]) {
  IndexKernel kernel = parsed(text);
  auto tiling = plan_index(kernel, {place}, wide_target);
  if (!tiling) {
    ADD_FAILURE() << "there are no tiles";
    return false;
  }
  IndexTiling narrow = *tiling;
  narrow.plan = narrowed(tiling->plan, numbers(kernel.output.extents), *tile_target(name));
  array::Program wide = lower_index(kernel, tiling);
  array::Program small = lower_index(kernel, narrow);
  array::Program elements = lower_index(kernel, std::nullopt);
  EXPECT_TRUE(array::verify_program(small));
  array::Cells expected = array::evaluate(elements, {}, finite_inputs(elements));
  array::Cells found = array::evaluate(small, {}, finite_inputs(small));
  EXPECT_EQ(found.size(), expected.size());
  EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof(float)), 0);
  return array::print_program(wide) != array::print_program(small);
}

constexpr const char* kProduct = "kernel m; in A, B; out C; C<{}>[i, j] = A<{}>[i, p] * B<{}>[p, j];";

std::string product(const std::string& c, const std::string& a, const std::string& b) {
  return fmt::format(fmt::runtime(kProduct), c, a, b);
}

TEST(IndexNarrow, TilesOfAProductWithWhatFillsNone) {
  std::string text = product("26, 150", "26, 17", "17, 150");
  EXPECT_TRUE(is_narrowed(text, "avx2", CopyPlace::Inside));
  EXPECT_TRUE(is_narrowed(text, "generic", CopyPlace::Inside));
  EXPECT_FALSE(is_narrowed(text, "avx512", CopyPlace::Inside));
}

TEST(IndexNarrow, BlocksOfASumThatIsCut) {
  EXPECT_TRUE(is_narrowed(product("12, 128", "12, 43", "43, 128"), "generic", CopyPlace::Before, kSmallCaches));
}

TEST(IndexNarrow, PanelsThatAreCopiedWhereTheyAreUsed) {
  EXPECT_TRUE(is_narrowed(product("24, 300", "24, 20", "20, 300"), "avx2", CopyPlace::Inside, kSmallCaches));
}

TEST(IndexNarrow, TilesThatLoopsAroundHaveTaken) {
  EXPECT_TRUE(is_narrowed(
      "kernel g; in D, W; out X; X<1, 64, 7, 6>[n, c, y, x] = select(y - r >= 0 && y - r < 5 && x - s >= 0 && x - s < 4, "
      "D<1, 8, 5, 4>[n, k, y - r, x - s] * W<8, 64, 3, 3>[k, c, r, s], 0);",
      "generic", CopyPlace::Inside));
}

TEST(IndexNarrow, TilesThatBeginInsideOfAnother) {
  std::string pointwise = "kernel f; in X, W; out Y; Y<8, 9, 9>[k, p, q] = X<16, 9, 9>[c, p, q] * W<8, 16>[k, c];";
  std::string window = "kernel f; in X, W; out Y; Y<6, 14, 20>[c, p, q] = X<6, 16, 22>[c, p + r, q + s] * W<6, 3, 3>[c, r, s];";
  for (const std::string& text : {pointwise, window}) {
    EXPECT_TRUE(is_narrowed(text, "generic", CopyPlace::Before));
    EXPECT_FALSE(is_narrowed(text, "avx512", CopyPlace::Before));
  }
  EXPECT_TRUE(is_narrowed(pointwise, "avx2", CopyPlace::Before));
}

TEST(IndexNarrow, AConvolution) {
  EXPECT_TRUE(
      is_narrowed("kernel f; in X, W; out Y; Y<1, 64, 6, 6>[n, k, p, q] = X<1, 8, 8, 8>[n, c, p + r, q + s] * W<64, 8, 3, "
                  "3>[k, c, r, s];",
                  "generic", CopyPlace::Inside));
}

}  // namespace
}  // namespace vouch
