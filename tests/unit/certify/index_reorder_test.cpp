// Which sums get partial sums, along which loop, and how many; that what is planned is a schedule that reads back; and that every
// term is added once. The terms are small whole numbers, whose sums no order rounds.
#include "certify/index_reorder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "array/eval.h"
#include "certify/index_schedule.h"
#include "certify/index_streams.h"
#include "parsed_kernel.h"

namespace vouch {
namespace {

std::optional<unsigned> streamed(const std::string& statement) {
  return streamed_loop(parsed("kernel s; in A, B; out S; " + statement).output, 4);
}

TEST(IndexStreams, NeighboursAlongTheSum) {
  EXPECT_EQ(streamed("S<1>[z] = A<n>[i] * B<n>[i];"), 0U);
  EXPECT_EQ(streamed("S<m>[i] = A<m, n>[i, p] * B<n>[p];"), 0U);
  EXPECT_EQ(streamed("S<1>[z] = A<m, n>[i, j];"), 1U);
  EXPECT_EQ(streamed("S<m>[i] = A<m, 100>[i, p + 3] * B<97>[p];"), 0U);
  EXPECT_EQ(streamed("S<c, 3>[q, s] = A<c, h, w + 2>[q, i, j + s] * B<c, h, w>[q, i, j];"), 1U);
}

TEST(IndexStreams, NothingToWaitForOrNoNeighbours) {
  EXPECT_EQ(streamed("S<m, n>[i, j] = A<m, k>[i, p] * B<n, k>[j, p];"), std::nullopt) << "a product reads each input often";
  EXPECT_EQ(streamed("S<n>[j] = A<m, n>[i, j] * B<m>[i];"), std::nullopt) << "the neighbours are elements of the output";
  EXPECT_EQ(streamed("S<40>[i] = A<89>[i + p] where 0 <= p < 50;"), std::nullopt) << "they are that, too";
  EXPECT_EQ(streamed("S<1>[z] = A<100>[2 * i] where 0 <= i < 50;"), std::nullopt) << "every second element";
  EXPECT_EQ(streamed("S<m>[i] = select(p <= i, A<m, m>[i, p], 0);"), std::nullopt) << "the loop decides what is added";
  EXPECT_EQ(streamed("S<m>[i] = A<m>[i] + B<m>[i];"), std::nullopt) << "no sum";
}

std::vector<std::string> order_of(const IndexKernel& kernel, const TileTarget& target = kTileTargets[0]) {
  auto tiling = plan_reordered(kernel, target);
  std::vector<std::string> out;
  for (const IndexSplit& split : tiling ? tiling->splits : std::vector<IndexSplit>()) {
    out.push_back(print_split(split));
  }
  return out;
}

using Lines = std::vector<std::string>;

TEST(IndexReorder, LanesBlocksAndRows) {
  EXPECT_EQ(order_of(parsed("kernel s; in A, B; out S; S<1>[z] = A<n>[i] * B<n>[i];")),
            (Lines{"add S by lanes of 64 as S_lanes", "add S_lanes by blocks of 2048 as S_blocks"}));
  EXPECT_EQ(order_of(parsed("kernel s; in A; out S; S<1>[z] = A<524287>[i];")), (Lines{"add S by lanes of 64 as S_lanes"}));
  EXPECT_EQ(order_of(parsed("kernel s; in A; out S; S<1>[z] = A<511>[i];")), (Lines{"add S by lanes of 16 as S_lanes"}));
  EXPECT_EQ(order_of(parsed("kernel s; in A; out S; S<1>[z] = A<31>[i];")), Lines());
  EXPECT_EQ(order_of(parsed("kernel s; in A, S_lanes; out S; S<5>[i] = A<5, 32>[i, p] * S_lanes<32>[p];")),
            (Lines{"add S by lanes of 16 as S_lanes_"}));
  EXPECT_EQ(order_of(parsed("kernel s; in A; out S; S<1>[z] = A<7, 40>[i, j];")),
            (Lines{"add S by blocks of 1 as S_rows", "add S_rows loop 1 by lanes of 8 as S_rows_lanes"}));
}

// Eight lanes where sixteen leave something, and it tells.
TEST(IndexReorder, FewerLanesThatLeaveNothing) {
  auto lanes = [](int terms) {
    return order_of(parsed(fmt::format("kernel s; in A; out S; S<9>[i] = A<9, {}>[i, p];", terms))).at(0);
  };
  for (int terms : {40, 56, 504}) {
    EXPECT_EQ(lanes(terms), "add S by lanes of 8 as S_lanes") << terms;
  }
  for (int terms : {33, 48, 52, 512, 520}) {
    EXPECT_EQ(lanes(terms), "add S by lanes of 16 as S_lanes") << terms;
  }
}

// The bits of a text that has versions are those of each.
TEST(IndexReorder, TheSameForAllProcessors) {
  for (const char* text :
       {"kernel s; in A, B; out S; S<1>[z] = A<n>[i] * B<n>[i];",
        "kernel s; in A, B; out S; S<9>[i] = A<9, 70>[i, p] * B<70>[p];",
        "kernel s; in A, B; out S; T<9>[i] = A<9, 70>[i, p] * B<70>[p]; S<9, 12>[i, j] = T[i] * B<70>[j] where 0 <= j < 12;"}) {
    for (const TileTarget& target : kTileTargets) {
      EXPECT_EQ(order_of(parsed(text), target), order_of(parsed(text))) << target.name;
    }
  }
}

array::Cells computed(const IndexKernel& kernel, const std::optional<IndexTiling>& tiling) {
  array::Program program = lower_index(kernel, tiling);
  std::vector<array::Cells> inputs;
  float next = 0;
  for (const array::Parameter& input : program.inputs) {
    array::Cells cells(array::cell_count(input.type, {}));
    for (float& x : cells) {
      next = next > 8 ? next - 17 : next + 3;
      x = next;
    }
    inputs.push_back(std::move(cells));
  }
  return array::evaluate(program, {}, inputs);
}

TEST(IndexReorder, EveryTermOnceAndAScheduleThatReadsBack) {
  for (int rows : {1, 2, 5, 8, 11, 21}) {
    for (int terms : {32, 47, 150}) {
      for (const TileTarget& target : kTileTargets) {
        IndexKernel kernel =
            parsed(fmt::format("kernel s; in A, B; out S; S<{0}>[i] = A<{0}, {1}>[i, p] * B<{1}>[p];", rows, terms));
        auto tiling = plan_reordered(kernel, target);
        ASSERT_TRUE(tiling.has_value());
        EXPECT_EQ(computed(kernel, tiling), computed(kernel, std::nullopt)) << rows << " x " << terms << " " << target.name;
        std::string text = print_schedule(kernel, tiling);
        Diagnostics diagnostics;
        auto source = std::make_shared<Source>("s.sched", text);
        auto read = parse_schedules(source, diagnostics);
        auto again = read ? fit_schedule(read->front(), kernel, source, diagnostics) : std::nullopt;
        ASSERT_TRUE(again.has_value()) << text << diagnostics.text();
        EXPECT_EQ(print_schedule(kernel, again), text);
      }
    }
  }
}

// Products and what is done to their elements stay as they are planned.
TEST(IndexReorder, NotWhatHasMoreToDo) {
  EXPECT_EQ(order_of(parsed("kernel s; in A, B; out S; T<40>[i] = A<40, 64>[i, p]; "
                            "S<40, 72>[i, j] = T[i] * A<40, 64>[i, p] * B<72, 64>[j, p];")),
            Lines());
}

}  // namespace
}  // namespace vouch
