// Plans: where they are used, and that every element is still the same sum in the same order, bit for bit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <utility>

#include "array/eval.h"
#include "array/print.h"
#include "certify/index_blocks.h"
#include "certify/index_finish.h"
#include "certify/index_plan.h"
#include "parsed_kernel.h"

namespace vouch {
namespace {

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
  auto tiling = plan_index(kernel, {CopyPlace::Inside});
  expect_same(kernel, tiling);
  EXPECT_EQ(tiling->copies.size(), 2U);
}

// Sixty channels are one tile of 64 lanes, of which four are computed for nothing: four vectors, not three of one and a rest.
TEST(IndexTile, LanesThatFillNoVectorsAreComputedOverTheirEnd) {
  IndexKernel kernel = parsed(
      "kernel g; in D, W; out X; X<1, 60, 8, 9>[n, c, y, x] = select(y - r >= 0 && y - r < 6 && x - s >= 0 && x - s < 7, "
      "D<1, 2, 6, 7>[n, k, y - r, x - s] * W<2, 60, 3, 3>[k, c, r, s], 0);");
  auto tiling = plan_index(kernel, {CopyPlace::Inside});
  expect_same(kernel, tiling);
  std::string text = array::print_program(lower_index(kernel, tiling));
  EXPECT_NE(text.find("num[5, 64]"), std::string::npos) << text;
}

TEST(IndexTile, BlocksOfLanesInACopy) {
  IndexKernel kernel = parsed(
      "kernel f; in X, W; out Y; Y<1, 32, 12, 10>[n, k, p, q] = X<1, 12, 14, 12>[n, c, p + r, q + s] * W<32, 12, 3, 3>[k, c, r, "
      "s];");
  expect_same(kernel, plan_index(kernel, {CopyPlace::Inside}));
}

// A layer of a small model: a copy of its weights is made where it costs nothing, and there only; a library's kernel is small
// enough to be left alone later than one that is compiled by itself.
TEST(IndexTile, WeightsThatAreKnownAheadAreCopiedForLessWork) {
  IndexKernel kernel = parsed(
      "kernel c; in X, W; out Y; Y<64, 8>[k, p] = select(p + r >= 1 && p + r < 9, X<32, 8>[c, p + r - 1] * W<64, 32, 3>[k, c, "
      "r], 0);");
  auto ahead = plan_index(kernel, {CopyPlace::Before, {1}});
  ASSERT_TRUE(ahead);
  expect_same(kernel, ahead);
  EXPECT_TRUE(std::any_of(ahead->copies.begin(), ahead->copies.end(), [](const IndexCopy& copy) { return copy.input == 1; }));
  auto later = plan_index(kernel, {CopyPlace::Before});
  EXPECT_TRUE(!later ||
              std::none_of(later->copies.begin(), later->copies.end(), [](const IndexCopy& copy) { return copy.input == 1; }));
  EXPECT_FALSE(plan_index(kernel, {CopyPlace::Inside, {1}}));
}

// For a machine with small vectors and caches, so that small products have all parts of large ones.
std::optional<IndexTiling> small_plan(const IndexKernel& kernel, CopyPlace copies = CopyPlace::Before) {
  return plan_product({kernel, 1 << 20}, {"small", 4, 8, 3, 150, 2}, {copies});
}

int count(const IndexPlan& plan, IndexPlanKind kind) {
  int out = plan.kind == kind ? 1 : 0;
  for (const IndexPlan& part : plan.parts) {
    out += count(part, kind);
  }
  return out;
}

void expect_small_same(const std::string& text) {
  IndexKernel kernel = parsed(text);
  expect_same(kernel, small_plan(kernel));
}

TEST(IndexTile, AProductOfMatricesReadsPanelsOfLanes) {
  IndexKernel kernel = parsed("kernel m; in A, B; out C; C<70, 75>[i, j] = A<70, 64>[i, k] * B<64, 75>[k, j];");
  auto tiling = plan_index(kernel, {CopyPlace::Inside});
  expect_same(kernel, tiling);
  EXPECT_EQ(tiling->copies.size(), 1U);
}

TEST(IndexTile, ProductsOfTransposedMatricesAndOfBatches) {
  expect_small_same("kernel m; in A, B; out C; C<7, 21>[i, j] = A<9, 7>[k, i] * B<21, 9>[j, k];");
  expect_small_same("kernel m; in A, B; out C; C<5, 8, 75>[b, i, j] = A<5, 8, 6>[b, i, k] * B<5, 6, 75>[b, k, j];");
  expect_small_same("kernel m; in A, B; out C; C<5, 8, 19>[b, i, j] = A<5, 8, 6>[b, i, k] * B<6, 19>[k, j];");
}

TEST(IndexTile, WhatHasNoLoopsIsAddedWithinTheTile) {
  for (const char* element : {"A<7, 9>[i, k] * B<9, 21>[k, j] + D<21>[j]", "D<21>[j] + A<7, 9>[i, k] * B<9, 21>[k, j]",
                              "E<7, 21>[i, j] + A<7, 9>[i, k] * B<9, 21>[k, j] + D<21>[j]",
                              "A<7, 9>[i, k] * B<9, 21>[k, j] + select(i < j, D<21>[j], 0)"}) {
    SCOPED_TRACE(element);
    std::string inputs = std::string(element).find("E<") == std::string::npos ? "A, B, D" : "A, B, D, E";
    IndexKernel kernel = parsed("kernel m; in " + inputs + "; out C; C<7, 21>[i, j] = " + element + ";");
    ASSERT_GT(kernel.output.summands.size(), 1U);
    expect_same(kernel, small_plan(kernel));
  }
}

TEST(IndexTile, SeveralSumsAreAddedUpInTilesOfTheirOwn) {
  IndexKernel kernel = parsed(
      "kernel f; in A, B, C, D; out Y; Y<5, 24>[i, j] = A<5, 9>[i, p] * B<9, 24>[p, j] + C<5, 7>[i, q] * D<7, 24>[q, j] + B[p, "
      "j];");
  IndexPlan each{IndexPlanKind::Each, array::LoopKind::Seq, array::size_const(5), 0, 0, 0, {{}}};
  for (const IndexPlan& plan : {IndexPlan{}, each}) {
    expect_same(kernel, IndexTiling{{}, plan});
    std::string text = array::print_program(lower_index(kernel, IndexTiling{{}, plan}));
    EXPECT_NE(text.find("map vec"), std::string::npos) << text;
  }
}

// No two of its elements lie side by side: nine sums at once need no lanes.
TEST(IndexTile, AFewSumsAreAddedUpAtOnce) {
  IndexKernel kernel = parsed(
      "kernel f; in X, D; out W; P<1, 16, 24, 24>[n, c, y, x] = X<1, 16, 24, 24>[n, c, y, x] * 2; "
      "W<16, 3, 3>[c, r, s] = D<1, 16, 22, 22>[n, c, p, q] * P[n, c, p + r, q + s];");
  auto tiling = plan_index(kernel, {CopyPlace::Inside});
  expect_same(kernel, tiling);
  EXPECT_TRUE(tiling->copies.empty());
  EXPECT_EQ(tiling->plan.kind, IndexPlanKind::Each);
  EXPECT_EQ(tiling->plan.loop, array::LoopKind::Par);
  EXPECT_EQ(tiling->plan.parts[0].kind, IndexPlanKind::Leaf);
}

// Means of channels: their terms do not lie side by side, so each sum is a row of its own.
TEST(IndexTile, LongSumsAreAddedUpEightAtOnce) {
  for (int channels : {8, 20}) {
    SCOPED_TRACE(channels);
    IndexKernel kernel = parsed(fmt::format("kernel f; in X; out Y; Y<{0}>[c] = X<{0}, 129>[c, h] / 129;", channels));
    auto tiling = plan_index(kernel, {CopyPlace::Before});
    expect_same(kernel, tiling);
    std::string text = array::print_program(lower_index(kernel, tiling));
    EXPECT_NE(text.find("num[8, 1]"), std::string::npos) << text;
  }
  EXPECT_FALSE(plan_index(parsed("kernel f; in X; out Y; Y<100>[c] = X<100, 16>[c, h];"), {CopyPlace::Before}));
}

// A gradient by the weights of a 3x3 filter has three rows: two channels fill the tile.
TEST(IndexTile, FewRowsAreGroupedWithAnotherAxis) {
  IndexKernel kernel = parsed(
      "kernel f; in X, D; out W; P<1, 2, 12, 12>[n, c, y, x] = X<1, 2, 12, 12>[n, c, y, x] * 2; "
      "W<64, 2, 3, 3>[k, c, r, s] = D<1, 64, 10, 10>[n, k, p, q] * P[n, c, p + r, q + s];");
  auto tiling = plan_index(kernel, {CopyPlace::Inside});
  expect_same(kernel, tiling);
  std::string text = array::print_program(lower_index(kernel, tiling));
  EXPECT_NE(text.find("num[2, 3, 64]"), std::string::npos) << text;
}

TEST(IndexTile, LongSumsAreCutIntoBlocksAndARest) {
  IndexKernel kernel = parsed("kernel m; in A, B; out C; C<20, 139>[i, j] = A<20, 23>[i, k] * B<23, 139>[k, j];");
  auto tiling = small_plan(kernel);
  expect_same(kernel, tiling);
  for (IndexPlanKind kind : {IndexPlanKind::Cut, IndexPlanKind::Then, IndexPlanKind::Over, IndexPlanKind::Move}) {
    EXPECT_GT(count(tiling->plan, kind), 0);
  }
}

// Of 81 pixels 17 are left after a tile of 64: one of 32 begins 15 before them, where it finds all that it reads.
TEST(IndexTile, LanesThatAreReadInPlaceAreComputedFromBeforeTheirBeginning) {
  IndexKernel kernel = parsed("kernel f; in X, W; out Y; Y<8, 9, 9>[k, p, q] = X<16, 9, 9>[c, p, q] * W<8, 16>[k, c];");
  auto tiling = plan_index(kernel, {CopyPlace::Before});
  expect_same(kernel, tiling);
  EXPECT_TRUE(tiling->copies.empty());
  EXPECT_GT(count(tiling->plan, IndexPlanKind::Under), 0);
  EXPECT_EQ(count(tiling->plan, IndexPlanKind::Over), 0);
  EXPECT_EQ(array::print_program(lower_index(kernel, tiling)).find("if "), std::string::npos);
}

// Rows of 14 pixels are two vectors of eight, rows of 20 one of sixteen and one of eight; nothing is read but what is there.
TEST(IndexTile, WindowsAlongRowsThatFillNoVectorsEndInOneThatBeginsBefore) {
  for (int wide : {14, 20, 25}) {
    SCOPED_TRACE(wide);
    IndexKernel kernel = parsed(
        fmt::format("kernel f; in X, W; out Y; Y<6, 14, {0}>[c, p, q] = X<6, 16, {1}>[c, p + r, q + s] * W<6, 3, 3>[c, r, s];",
                    wide, wide + 2));
    auto tiling = plan_index(kernel, {CopyPlace::Before});
    expect_same(kernel, tiling);
    EXPECT_EQ(count(tiling->plan, IndexPlanKind::Under), 1);
    EXPECT_NE(array::print_program(lower_index(kernel, tiling)).find("num[7, "), std::string::npos) << "seven of its 14 rows";
    EXPECT_EQ(array::print_program(lower_index(kernel, tiling)).find("if "), std::string::npos);
  }
}

// Two or three rows of a window that moves on by one or two rows are one tile, and its sums are unrolled.
TEST(IndexTile, FewRowsOfAWindowAreOneTile) {
  for (auto [rows, step] : {std::pair(2, 1), std::pair(3, 2)}) {
    SCOPED_TRACE(step);
    IndexKernel kernel = parsed(fmt::format(
        "kernel f; in X, W; out Y; Y<6, {0}, 32>[c, p, q] = X<6, {1}, 36>[c, {2} * p + r, q + s] * W<6, 5, 5>[c, r, s];", rows,
        step * (rows - 1) + 5, step));
    auto tiling = plan_index(kernel, {CopyPlace::Before});
    expect_same(kernel, tiling);
    std::string text = array::print_program(lower_index(kernel, tiling));
    EXPECT_NE(text.find(fmt::format("num[{}, 16]", rows)), std::string::npos) << text;
    EXPECT_EQ(count(tiling->plan, IndexPlanKind::Leaf), 1);
  }
}

// Seven rows where that leaves fewer tiles, and none of them low.
TEST(IndexTile, FusedTilesMayHaveARowMore) {
  auto kernel_of = [](int wide) {
    return parsed(
        fmt::format("kernel f; in X, W; out Y; Y<64, {}>[k, q] = X<16, {}>[c, q + s] * W<64, 16, 3>[k, c, s];", wide, wide + 2));
  };
  auto rows = [&](int wide, const TileTarget& target) {
    std::string text =
        array::print_program(lower_index(kernel_of(wide), plan_index(kernel_of(wide), {CopyPlace::Inside}, target)));
    return text.find("num[7, 64]") != std::string::npos ? 7 : text.find("num[6, 64]") != std::string::npos ? 6 : 0;
  };
  const TileTarget& usual = kTileTargets[0];
  for (auto [wide, high] : {std::pair{56, 7}, {28, 7}, {55, 7}, {54, 6}, {64, 6}}) {
    SCOPED_TRACE(wide);
    EXPECT_EQ(rows(wide, usual), 6);
    EXPECT_EQ(rows(wide, tiles_for(usual.name, true)), high);
  }
  expect_same(kernel_of(55), plan_index(kernel_of(55), {CopyPlace::Inside}, tiles_for(usual.name, true)));
}

// Panels with rows of two heights, groups of them and some left over; lanes in panels, tiles and some that fill no vector.
TEST(IndexTile, LargeProductsReadCopiesThatAreMadeWhereTheyAreUsed) {
  for (const char* element :
       {"A<53, 23>[i, k] * B<23, 93>[k, j]", "A<23, 53>[k, i] * B<93, 23>[j, k]", "A<50, 9>[i, k] * B<9, 96>[k, j]",
        "A<2, 53, 23>[b, i, k] * B<2, 23, 93>[b, k, j]", "A<2, 53, 23>[b, i, k] * B<23, 93>[k, j]",
        "A<14, 3, 23>[i, r, k] * B<3, 23, 93>[r, k, j]", "A<53, 17>[i, k] * B<17, 93>[k, j] + D<93>[j]"}) {
    SCOPED_TRACE(element);
    std::string text = element;
    std::string output = text.find("A<2") == 0    ? "C<2, 53, 93>[b, i, j]"
                         : text.find("A<14") == 0 ? "C<14, 93>[i, j]"
                         : text.find("A<50") == 0 ? "C<50, 96>[i, j]"
                                                  : "C<53, 93>[i, j]";
    IndexKernel kernel = parsed("kernel m; in A, B" + std::string(text.find("D<") == std::string::npos ? "" : ", D") +
                                "; out C; " + output + " = " + text + ";");
    auto tiling = small_plan(kernel, CopyPlace::Inside);
    expect_same(kernel, tiling);
    EXPECT_TRUE(tiling->copies.empty());
    EXPECT_GT(count(tiling->plan, IndexPlanKind::Tab), 0);
    EXPECT_EQ(count(small_plan(kernel)->plan, IndexPlanKind::Tab), 0);
  }
}

IndexPlan made(IndexPlanKind kind, int count, int width, unsigned inner, std::vector<IndexPlan> parts) {
  return {kind, array::LoopKind::Seq, array::size_const(0), count, width, inner, std::move(parts)};
}

TEST(IndexTile, APlanByHandWithTilesOfTilesAndSplitAxes) {
  IndexKernel kernel = parsed("kernel m; in A, B; out C; C<5, 6>[i, j] = A<5, 3>[i, k] * B<3, 6>[k, j];");
  auto tiles = [](int count, int width, unsigned inner, IndexPlan rest) {
    return made(IndexPlanKind::Tiles, count, width, inner, {std::move(rest)});
  };
  IndexPlan columns = made(IndexPlanKind::Split, 2, 4, 0, {tiles(1, 2, 1, {}), tiles(2, 2, 0, {})});
  expect_same(kernel, IndexTiling{{}, made(IndexPlanKind::Split, 4, 1, 0, {tiles(2, 2, 0, columns), tiles(1, 1, 0, columns)})});
}

// Any plan that fits: the axes in any order, whole, in blocks or in parts, with more positions than they have; sums in blocks;
// copies of what is read.
class RandomPlan {
 public:
  explicit RandomPlan(unsigned seed) : random_(seed) {}

  // Where the plan has come to.
  struct Here {
    int terms;                            // of the sum's outermost loop
    bool whole = true;                    // no sum has been cut
    bool simple = true;                   // what it goes on from is a variable
    unsigned variables = 0;               // data variables beyond the tensors
    std::vector<unsigned> tensors{0, 1};  // what the inputs are called
    bool ends = false;                    // something is done to the elements
  };

  IndexPlan plan(std::vector<int> extents, const Here& here, int depth) {
    unsigned draw = random_() % (here.whole ? 10 : 4);
    if (depth == 0 || (extents.empty() && draw > 3)) {
      return {};
    }
    switch (draw) {
      case 0: return each(extents, here, depth);
      case 1: return cut(extents, here, depth);
      case 2: return then(extents, here, depth);
      case 3: return tab(extents, here, depth);
      case 4: return split(extents, here, depth);
      case 5: return blocks(extents, here, depth);
      case 6: return move(extents, here, depth);
      case 7: return merge(extents, here, depth);
      case 8: return under(extents, here, depth);
      default: return over(extents, here, depth);
    }
  }

 private:
  IndexPlan each(std::vector<int> extents, Here here, int depth) {
    if (extents.empty()) {
      return {};
    }
    Integer first = extents[0];
    extents.erase(extents.begin());
    here.simple = true;
    ++here.variables;
    IndexPlan out = made(IndexPlanKind::Each, 0, 0, 0, {plan(extents, here, depth - 1)});
    out.extent = array::size_const(first);
    return out;
  }

  int divisor(int n) {
    int d = 1 + static_cast<int>(random_() % static_cast<unsigned>(n));
    while (n % d != 0) {
      --d;
    }
    return d;
  }

  IndexPlan cut(const std::vector<int>& extents, Here here, int depth) {
    if (here.ends) {
      return {};
    }
    int width = divisor(here.terms);
    int blocks = here.terms / width;
    here = {width, false, true, here.variables + 2, here.tensors};
    return made(IndexPlanKind::Cut, blocks, width, 0, {plan(extents, here, depth - 1)});
  }

  IndexPlan then(const std::vector<int>& extents, Here here, int depth) {
    int all = here.terms;
    int first = static_cast<int>(random_() % static_cast<unsigned>(all + 1));
    if (first == 0 || first == all) {
      return {};
    }
    Here before{first, false, here.whole || here.simple, here.variables, here.tensors};
    Here after{all - first, false, false, here.variables, here.tensors, here.ends};
    return made(IndexPlanKind::Then, first, all - first, 0, {plan(extents, before, depth - 1), plan(extents, after, depth - 1)});
  }

  // Over all variables, in any order.
  IndexPlan tab(const std::vector<int>& extents, Here here, int depth) {
    if (!here.simple) {
      return {};
    }
    std::vector<unsigned> over(extents.size() + 1);
    std::iota(over.begin(), over.end(), 0U);
    std::shuffle(over.begin(), over.end(), random_);
    std::size_t which = random_() % 2;
    unsigned tensor = here.tensors[which];
    for (unsigned& t : here.tensors) {
      t += here.variables + 1;
    }
    here.tensors[which] = 0;
    here.variables = 0;
    IndexPlan out = made(IndexPlanKind::Tab, 0, 0, tensor, {plan(extents, here, depth - 1)});
    out.over = over;
    return out;
  }

  IndexPlan split(std::vector<int> extents, const Here& here, int depth) {
    int all = extents[0];
    int first = static_cast<int>(random_() % static_cast<unsigned>(all + 1));
    extents[0] = first;
    std::vector<int> rest = extents;
    rest[0] = all - first;
    if (first == 0 || first == all) {
      return {};
    }
    return made(IndexPlanKind::Split, first, all - first, 0, {plan(extents, here, depth - 1), plan(rest, here, depth - 1)});
  }

  IndexPlan blocks(std::vector<int> extents, const Here& here, int depth) {
    int width = divisor(extents[0]);
    int count = extents[0] / width;
    extents[0] = width;
    extents.insert(extents.begin(), count);
    return made(IndexPlanKind::Blocks, count, width, 0, {plan(extents, here, depth - 1)});
  }

  IndexPlan merge(std::vector<int> extents, const Here& here, int depth) {
    if (extents.size() < 2) {
      return {};
    }
    int count = extents[0];
    int width = extents[1];
    extents.erase(extents.begin());
    extents[0] = count * width;
    return made(IndexPlanKind::Merge, count, width, 0, {plan(extents, here, depth - 1)});
  }

  IndexPlan move(std::vector<int> extents, const Here& here, int depth) {
    auto inner = random_() % extents.size();
    std::rotate(extents.begin(), extents.begin() + static_cast<std::ptrdiff_t>(inner),
                extents.begin() + static_cast<std::ptrdiff_t>(inner) + 1);
    return made(IndexPlanKind::Move, 0, 0, static_cast<unsigned>(inner), {plan(extents, here, depth - 1)});
  }

  IndexPlan over(std::vector<int> extents, const Here& here, int depth) {
    auto inner = random_() % extents.size();
    extents[inner] += static_cast<int>(random_() % 4);
    int width = extents[inner];
    return made(IndexPlanKind::Over, 0, width, static_cast<unsigned>(inner), {plan(extents, here, depth - 1)});
  }

  IndexPlan under(std::vector<int> extents, const Here& here, int depth) {
    int more = static_cast<int>(random_() % 4);
    extents[0] += more;
    return made(IndexPlanKind::Under, 0, more, 0, {plan(extents, here, depth - 1)});
  }

  std::mt19937 random_;
};

TEST(IndexTile, AnyPlanComputesTheSameBits) {
  IndexKernel kernel =
      parsed("kernel m; in A, B; out C; C<2, 3, 4>[n, i, j] = select(i + k <= 6, A<2, 3, 6>[n, i, k] * B<6, 4>[k, j], 0);");
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    expect_same(kernel, IndexTiling{{}, RandomPlan(seed).plan({2, 3, 4}, {6}, 7)});
  }
}

// A sum that is done with by what stands beside it.
const char* const kEndings[] = {"max(S[i, j] + D<75>[j], 0)", "S[i, j] * D<75>[j] - S[i, j]",
                                "min(max(S[i, j], 0), 6) + E<23, 75>[i, j]", "select(i + j <= 40, exp(S[i, j]), D<75>[j] / 9)",
                                "E<23, 75>[i, j] + S[i, j] + select(i < j, A<23, 64>[i, j % 64], 0)"};

std::string finished_text(const std::string& sums, const std::string& ends) {
  std::string inputs = "A, B";
  inputs += ends.find("D<") == std::string::npos ? "" : ", D";
  inputs += ends.find("E<") == std::string::npos ? "" : ", E";
  return "kernel m; in " + inputs + "; out C; S<23, 75>[i, j] = " + sums + "; C<23, 75>[i, j] = " + ends + ";";
}

TEST(IndexTile, CompleteSumsAreFinishedInTheirTiles) {
  for (const char* ends : kEndings) {
    SCOPED_TRACE(ends);
    IndexKernel kernel = parsed(finished_text("A<23, 64>[i, k] * B<64, 75>[k, j]", ends));
    for (CopyPlace place : {CopyPlace::Before, CopyPlace::Inside}) {
      auto tiling = plan_index(kernel, {place});
      expect_same(kernel, tiling);
      EXPECT_EQ(tiling->plan.kind, IndexPlanKind::Finish);
    }
  }
}

TEST(IndexTile, SumsInBlocksAreFinishedWithTheLastBlock) {
  for (const char* sums : {"A<23, 64>[i, k] * B<64, 75>[k, j]", "A<23, 60>[i, k] * B<60, 75>[k, j]"}) {
    SCOPED_TRACE(sums);
    IndexKernel kernel = parsed(finished_text(sums, "max(S[i, j] + D<75>[j], 0)"));
    IndexKernel alone = *unfinished(kernel);
    for (CopyPlace place : {CopyPlace::Before, CopyPlace::Inside}) {
      auto of_sums = small_plan(alone, place);
      ASSERT_TRUE(of_sums);
      EXPECT_GT(count(of_sums->plan, IndexPlanKind::Cut), 0);
      expect_same(kernel, IndexTiling{of_sums->copies, finishing(of_sums->plan)});
    }
  }
}

TEST(IndexTile, WhatReadsOtherSumsThanItsOwnIsNotFinishedInTiles) {
  for (const char* output :
       {"C<23, 23>[i, j] = S<23, 23>[j, i]", "C<23, 23>[i, j] = S<23, 23>[i, i] + S<23, 23>[i, j]", "C<23>[i] = S<23, 23>[i, j]",
        "C<22, 23>[i, j] = S<23, 23>[i, j] where 0 <= i < 22", "C<23, 23>[i, j] = S<23, 23>[i, 22 - j]"}) {
    SCOPED_TRACE(output);
    IndexKernel kernel =
        parsed("kernel m; in A, B; out C; S<23, 23>[i, j] = A<23, 300>[i, k] * B<300, 23>[k, j]; " + std::string(output) + ";");
    EXPECT_FALSE(unfinished(kernel));
  }
}

TEST(IndexTile, AnyPlanFinishesTheSameBits) {
  IndexKernel kernel = parsed(
      "kernel m; in A, B, D, E; out C; S<2, 3, 4>[n, i, j] = select(i + k <= 6, A<2, 3, 6>[n, i, k] * B<6, 4>[k, j], 0); "
      "C<2, 3, 4>[n, i, j] = max(S[n, i, j] * D<3>[i], E<2, 3, 4>[n, i, j]) - B<6, 4>[n + i, j] + select(i < j, S[n, i, j], 3);");
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    RandomPlan::Here here{6};
    here.ends = true;
    expect_same(kernel, IndexTiling{{}, made(IndexPlanKind::Finish, 0, 0, 0, {RandomPlan(seed).plan({2, 3, 4}, here, 7)})});
  }
}

// Rows and columns of a pointwise convolution, in space or on a plane, with what is added; a batch and the rows of its matrices.
TEST(IndexTile, AxesThatAreReadTogetherAreOne) {
  struct Case {
    const char* text;
    int merged;
  };
  for (const Case& c :
       {Case{"in X, W; out Y; Y<1, 20, 13, 11>[n, k, p, q] = X<1, 24, 13, 11>[n, c, p, q] * W<20, 24>[k, c];", 1},
        Case{"in X, W; out Y; Y<2, 9, 3, 7, 9>[n, k, d, p, q] = X<2, 20, 3, 7, 9>[n, c, d, p, q] * W<9, 20>[k, c];", 2},
        Case{"in A, B; out C; C<5, 7, 70>[n, i, j] = A<5, 7, 28>[n, i, k] * B<28, 70>[k, j];", 1},
        Case{"in X, W, R; out Y; S<1, 20, 13, 11>[n, k, p, q] = X<1, 24, 13, 11>[n, c, p, q] * W<20, 24>[k, c]; "
             "Y<1, 20, 13, 11>[n, k, p, q] = max(S[n, k, p, q] + R<1, 20, 13, 11>[n, k, p, q], 0);",
             1}}) {
    SCOPED_TRACE(c.text);
    IndexKernel kernel = parsed("kernel m; " + std::string(c.text));
    for (CopyPlace place : {CopyPlace::Before, CopyPlace::Inside}) {
      auto tiling = plan_index(kernel, {place});
      ASSERT_TRUE(tiling);
      EXPECT_EQ(count(tiling->plan, IndexPlanKind::Merge), c.merged);
      expect_same(kernel, tiling);
    }
  }
}

TEST(IndexTile, AxesThatAreReadApartStayTwo) {
  for (const char* x : {"X<1, 40, 11, 13>[n, c, q, p]", "X<1, 40, 14, 11>[n, c, p, q]", "X<1, 40, 13, 12>[n, c, p, q]",
                        "X<1, 40, 13, 11>[n, c, p, 10 - q]", "X<1, 13, 40, 11>[n, p, c, q]", "X<1, 40, 25, 11>[n, c, 2 * p, q]",
                        "select(p < q, X<1, 40, 13, 11>[n, c, p, q], 0)", "X<1, 40, 13, 11>[n, c, p, q] * p"}) {
    SCOPED_TRACE(x);
    IndexKernel kernel = parsed("kernel m; in X, W; out Y; Y<1, 20, 13, 11>[n, k, p, q] = " + std::string(x) +
                                " * W<20, 40>[k, c] where 0 <= p < 13, 0 <= q < 11;");
    auto tiling = plan_index(kernel, {CopyPlace::Inside});
    EXPECT_EQ(tiling ? count(tiling->plan, IndexPlanKind::Merge) : 0, 0);
  }
}

TEST(IndexTile, SmallKernelsKeepTheirPlainText) {
  EXPECT_FALSE(
      plan_index(parsed("kernel m; in A, B; out C; C<6, 7>[i, j] = A<6, 5>[i, k] * B<5, 7>[k, j];"), {CopyPlace::Inside}));
}

// A named size is split into full tiles and what they leave; a library's call, which has numbers, is not planned so.
TEST(IndexTile, NamedSizesHaveTilesAndRemainders) {
  IndexKernel kernel = parsed("kernel m; in A, B; out C; C<n, 900>[i, j] = A<n, 900>[i, k] * B<900, 900>[k, j];");
  auto tiling = plan_index(kernel, {CopyPlace::Inside});
  ASSERT_TRUE(tiling);
  EXPECT_EQ(tiling->copies.size(), 1u);
  EXPECT_FALSE(plan_index(kernel, {CopyPlace::Before}));
}

}  // namespace
}  // namespace vouch
