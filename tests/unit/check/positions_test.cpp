// Positions that are data: what a source looks up lies within its tensor, along each axis, and is what a target may look up as
// well. Beside each law stands a neighbour that is not one, or that would look up more.
#include <gtest/gtest.h>

#include "check/check.h"
#include "rule_of.h"

namespace vouch {
namespace {

const char* const kMatrix = "let x = * {rank = 2, dtype = float32}; let i = * {rank = 1, dtype = int64};";
const char* const kTwoMatrices =
    "let x = * {rank = 2, dtype = float32}; let w = * {rank = 2, dtype = float32}; let i = * {rank = 1, dtype = int64};";
const char* const kTwoPositions =
    "let x = * {rank = 2}; let i = * {rank = 1, dtype = int64}; let j = * {rank = 1, dtype = int64};";
const char* const kAlike =
    "let x = * {rank = 1, dtype = float32}; let y = * {rank = 1, dtype = float32}; let i = * {rank = 1, dtype = int64};\n"
    "where x.shape == y.shape;";
// The least of a position and of the last one there is.
const char* const kLimited =
    "let x = * {rank = 1, dtype = float32}; let y = * {rank = 1, dtype = float32}; let i = * {rank = 1, dtype = int64};\n"
    "let n = const {value = any, rank = 0, dtype = int64}; let j = Min((i, n));\n"
    "where x.shape == y.shape and n.value == x.shape[0] - 1;";
const char* const kOnePosition =
    "let x = * {rank = 1, dtype = float32}; let y = * {rank = 1, dtype = float32}; let i = * {rank = 0, dtype = int64};\n"
    "where x.shape == y.shape;";
const char* const kEmpty =
    "let x = * {rank = 2, dtype = float32}; let w = * {rank = 2, dtype = float32}; let i = * {rank = 1, dtype = int64};\n"
    "where w.shape[1] >= 0;";

struct PositionClaim {
  const char* name;
  const char* inputs;
  const char* source;
  const char* target;
};

RuleVerdict verdict_of_positions(const PositionClaim& claim, bool refute) {
  CheckOptions options;
  options.refute = refute;
  return check_rule(rule_of(std::string(claim.inputs) + " source " + claim.source + "; target " + claim.target + ";"), options);
}

std::string name_of_position_claim(const ::testing::TestParamInfo<PositionClaim>& claim) { return claim.param.name; }

class PositionsThatAreData : public ::testing::TestWithParam<PositionClaim> {};

TEST_P(PositionsThatAreData, MoveBitForBit) {
  RuleVerdict v = verdict_of_positions(GetParam(), true);
  EXPECT_EQ(v.verdict, Verdict::SoundExact) << v.reason;
}

const PositionClaim kMoved[] = {
    {"OfPositions", kTwoPositions, "Gather(Gather(x, i) {axis = 0}, j) {axis = 0}",
     "Gather(x, Gather(i, j) {axis = 0}) {axis = 0}"},
    {"AxisByAxis", kTwoPositions, "Gather(Gather(x, i) {axis = 0}, j) {axis = 1}",
     "Gather(Gather(x, j) {axis = 1}, i) {axis = 0}"},
    {"RowsOfAProduct", kTwoMatrices, "Gather(MatMul(x, w), i) {axis = 0}", "MatMul(Gather(x, i) {axis = 0}, w)"},
    {"ColumnsOfAProduct", kTwoMatrices, "Gather(MatMul(x, w), i) {axis = 1}", "MatMul(x, Gather(w, i) {axis = 1})"},
    {"RowsOfSums", kMatrix, "Gather(ReduceSum(x, const {value = (1,)}) {keepdims = 0}, i) {axis = 0}",
     "ReduceSum(Gather(x, i) {axis = 0}, const {value = (1,)}) {keepdims = 0}"},
    {"OfASum", kAlike, "Gather(x, i) {axis = 0} + Gather(y, i) {axis = 0}", "Gather(x + y, i) {axis = 0}"},
    {"OfPartsOfThem", kAlike, "slice(Gather(x + y, i) {axis = 0}) {starts = (0,), limits = (1,), strides = (1,)}",
     "Gather(x + y, slice(i) {starts = (0,), limits = (1,), strides = (1,)}) {axis = 0}"},
    {"WrittenOneAfterAnother", "let x = * {rank = 2};", "Gather(x, const {value = (1, 2, 3)}) {axis = 1}",
     "Slice(x, const {value = (1,)}, const {value = (4,)}, const {value = (1,)})"},
};

INSTANTIATE_TEST_SUITE_P(Laws, PositionsThatAreData, ::testing::ValuesIn(kMoved), name_of_position_claim);

class PositionsBeyond : public ::testing::TestWithParam<PositionClaim> {};

TEST_P(PositionsBeyond, AreRefutedAndNotProven) {
  EXPECT_FALSE(is_sound(verdict_of_positions(GetParam(), false).verdict));
  EXPECT_FALSE(is_sound(verdict_of_positions(GetParam(), true).verdict));
}

const PositionClaim kBeyond[] = {
    {"OfPositionsTheOtherWay", kTwoPositions, "Gather(Gather(x, i) {axis = 0}, j) {axis = 0}",
     "Gather(x, Gather(j, i) {axis = 0}) {axis = 0}"},
    {"AlongTheOtherAxis", kTwoPositions, "Gather(Gather(x, i) {axis = 0}, j) {axis = 1}",
     "Gather(Gather(x, i) {axis = 1}, j) {axis = 0}"},
    {"OfOneThatIsShorter",
     "let x = * {rank = 1, dtype = float32}; let y = * {rank = 1, dtype = float32}; let i = * {rank = 1};"
     "where i.dtype == int64; drop y;",
     "Gather(Concat((x, y)) {axis = 0}, i) {axis = 0} * 0", "Gather(x, i) {axis = 0} * 0"},
    {"OfTheLimited", kLimited, "Gather(x, j) {axis = 0} + Gather(y, j) {axis = 0}", "Gather(x + y, i) {axis = 0}"},
    {"OfTheLimitedSum", kLimited, "Gather(x + y, j) {axis = 0}", "Gather(x + y, i) {axis = 0}"},
    {"OfTheClamped", kOnePosition, "dynamic_slice(x, (i,)) {slice_sizes = (1,)} + dynamic_slice(y, (i,)) {slice_sizes = (1,)}",
     "Gather(x + y, Unsqueeze(Max((i, const {value = 0, rank = 0})), const {value = (0,)})) {axis = 0}"},
    {"OfMoreThanAPart", kAlike, "Gather(x + y, slice(i) {starts = (0,), limits = (1,), strides = (1,)}) {axis = 0}",
     "slice(Gather(x + y, i) {axis = 0}) {starts = (0,), limits = (1,), strides = (1,)}"},
    {"OfASumThatIsBroadcast",
     "let x = * {rank = 1, dtype = float32}; let y = * {rank = 1, dtype = float32}; let i = * {rank = 1, dtype = int64};",
     "Gather(x + y, i) {axis = 0}", "Gather(x, i) {axis = 0} + Gather(y, i) {axis = 0}"},
    {"RowsOfAProductWithoutColumns", kEmpty, "Gather(MatMul(x, w), i) {axis = 0}", "MatMul(Gather(x, i) {axis = 0}, w)"},
    {"WrittenInAnotherOrder", "let x = * {rank = 2};", "Gather(x, const {value = (1, 3, 2)}) {axis = 1}",
     "Slice(x, const {value = (1,)}, const {value = (4,)}, const {value = (1,)})"},
    {"WhereItIsNotChosen",
     "let x = * {rank = 1, dtype = float32}; let i = * {rank = 1, dtype = int64}; let c = * {rank = 1, dtype = bool};\n"
     "where c.shape == i.shape;",
     "Gather(x, Where(c, i, 0)) {axis = 0}", "Where(c, Gather(x, i) {axis = 0}, Gather(x, i * 0) {axis = 0})"},
};

INSTANTIATE_TEST_SUITE_P(Neighbours, PositionsBeyond, ::testing::ValuesIn(kBeyond), name_of_position_claim);

}  // namespace
}  // namespace vouch
