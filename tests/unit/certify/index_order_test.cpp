// Sums in another order: every term is added once, whatever is left over, and splits that do not apply say why. The terms are
// small whole numbers, whose sums no order rounds.
#include "certify/index_order.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "array/eval.h"
#include "certify/index_plan.h"
#include "parsed_kernel.h"

namespace vouch {
namespace {

array::Cells computed(const array::Program& program) {
  std::mt19937 random(5);
  std::vector<array::Cells> inputs;
  for (const array::Parameter& input : program.inputs) {
    array::Cells cells(array::cell_count(input.type, {}));
    for (float& x : cells) {
      x = static_cast<float>(random() % 19) - 9;
    }
    inputs.push_back(std::move(cells));
  }
  return array::evaluate(program, {}, inputs);
}

IndexKernel sum_of(int terms) {
  return parsed(fmt::format("kernel s; in A, B; out S; S<3>[i] = A<3, {0}>[i, j] * B<{0}>[j];", terms));
}

std::string why_not(const IndexKernel& kernel, const IndexSplit& split) { return Reordering(kernel).why_not(split); }

// By splits that all apply.
void expect_same_terms(const IndexKernel& kernel, const std::vector<IndexSplit>& splits) {
  Reordering order = reordered(kernel, splits);
  EXPECT_EQ(order.kernel().locals.size(), kernel.locals.size() + splits.size());
  IndexTiling tiling{{}, {}, splits};
  EXPECT_EQ(computed(lower_index(kernel, tiling)), computed(lower_index(kernel, std::nullopt)));
}

TEST(IndexOrder, EveryTermOnceByLanesAndByBlocks) {
  for (int terms : {2, 7, 8, 9, 16, 37}) {
    for (int width : {1, 2, 3, 7, 8}) {
      for (bool lanes : {true, false}) {
        IndexSplit split{"S", 0, lanes, width, "P"};
        if (width > terms || (lanes && width == 1)) {
          EXPECT_NE(why_not(sum_of(terms), split), "");
        } else {
          expect_same_terms(sum_of(terms), {split});
        }
      }
    }
  }
}

TEST(IndexOrder, PartialSumsOfPartialSums) {
  expect_same_terms(sum_of(203), {{"S", 0, false, 64, "P"}, {"P", 0, true, 16, "L"}, {"P", 0, true, 5, "K"}});
  expect_same_terms(sum_of(64), {{"S", 0, true, 8, "P"}, {"S", 0, true, 4, "Q"}, {"S", 0, true, 2, "R"}});
}

TEST(IndexOrder, OneOfSeveralLoopsAndOfSeveralSummands) {
  IndexKernel kernel = parsed("kernel s; in A, D; out S; S<4>[i] = D<4>[i] + A<4, 5, 9>[i, j, k] * D[i] + D[i];");
  expect_same_terms(kernel, {{"S", 1, true, 4, "P"}});
  expect_same_terms(kernel, {{"S", 0, false, 2, "P"}, {"P", 1, true, 8, "Q"}});
}

TEST(IndexOrder, ACondition) {
  expect_same_terms(parsed("kernel s; in A; out S; S<9>[i] = select(j <= i, A<9, 9>[i, j], 0);"), {{"S", 0, true, 4, "P"}});
}

TEST(IndexOrder, ALocalIsASumToo) {
  IndexKernel kernel = parsed("kernel n; in A; out Y; S<1>[z] = A<21>[i] * A<21>[i]; Y<1>[z] = S[z] + 1;");
  expect_same_terms(kernel, {{"S", 0, true, 8, "P"}});
}

// The witness has pieces for each summand of each statement as it was written: one for what the partial sums add, one for the
// rest.
TEST(IndexOrder, PiecesOfEachSummand) {
  IndexRegrouping whole = reordered(sum_of(16), {{"S", 0, true, 8, "P"}}).regrouping();
  ASSERT_EQ(whole.output.size(), 1U);
  EXPECT_EQ(whole.output[0].size(), 1U);
  IndexRegrouping rest = reordered(sum_of(17), {{"S", 0, true, 8, "P"}}).regrouping();
  EXPECT_EQ(rest.output[0].size(), 2U);
  IndexRegrouping local =
      reordered(parsed("kernel n; in A; out Y; S<1>[z] = A<21>[i]; Y<1>[z] = S[z] + 1;"), {{"S", 0, true, 8, "P"}}).regrouping();
  EXPECT_EQ(local.places, (std::vector<std::size_t>{0}));
  ASSERT_EQ(local.locals.size(), 1U);
  EXPECT_EQ(local.locals[0][0].size(), 2U);
}

TEST(IndexOrder, WhatDoesNotApply) {
  IndexKernel kernel = sum_of(12);
  EXPECT_EQ(why_not(kernel, {"T", 0, true, 4, "P"}), "there is no tensor 'T' to add, or more than one");
  EXPECT_EQ(why_not(kernel, {"S", 1, true, 4, "P"}), "the sum of 'S' has 1 loops, and no loop 1: they count from 0");
  EXPECT_EQ(why_not(kernel, {"S", 0, true, 1, "P"}), "partial sums by lanes are two or more");
  EXPECT_EQ(why_not(kernel, {"S", 0, false, 0, "P"}), "a block has one term or more");
  EXPECT_EQ(why_not(kernel, {"S", 0, true, 13, "P"}), "the loop has 12 terms, fewer than 13");
  EXPECT_EQ(why_not(kernel, {"S", 0, true, 4, "A"}), "'A' is no new name");
  EXPECT_EQ(why_not(kernel, {"S", 0, true, 4, "4"}), "'4' is no new name");
  EXPECT_EQ(why_not(parsed("kernel s; in A; out S; S<3>[i] = A<3>[i];"), {"S", 0, true, 2, "P"}), "'S' is no sum");
}

TEST(IndexOrder, AsAScheduleHasIt) {
  EXPECT_EQ(print_split({"S", 0, true, 8, "P"}), "add S by lanes of 8 as P");
  EXPECT_EQ(print_split({"S", 1, false, 64, "P"}), "add S loop 1 by blocks of 64 as P");
}

}  // namespace
}  // namespace vouch
