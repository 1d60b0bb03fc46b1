#include "driver/index_points.h"

#include <gtest/gtest.h>

namespace vouch {
namespace {

const Term i = int_var("i");
const Term j = int_var("j");
const Term k = int_var("k");

Box box_of(std::int64_t last) {
  Box box;
  for (std::string_view name : {"i", "j", "k"}) {
    box[Symbol(name)] = {Term(0), Term(last)};
  }
  return box;
}

// (i + 2j) % 4 is below 2 where i + 2j is 4 or 5, not everywhere.
TEST(IndexPoints, OnlyWhereTheFactsHold) {
  Term goal = lt(floor_mod(i + 2 * j, 4), 2);
  Facts facts = {le(4, i + 2 * j), le(i + 2 * j, 5)};
  EXPECT_TRUE(holds_at_every_point(facts, goal, box_of(6)));
  EXPECT_FALSE(holds_at_every_point({facts[0]}, goal, box_of(6)));
  EXPECT_FALSE(holds_at_every_point({facts[1]}, goal, box_of(6)));
}

// k is not in the goal, and still says what i can be.
TEST(IndexPoints, ThroughOtherVariables) {
  Facts facts = {eq(i, 2 * k), eq(k, floor_div(j, 2)), lt(j, 2)};
  EXPECT_TRUE(holds_at_every_point(facts, eq(i, 0), box_of(6)));
  EXPECT_FALSE(holds_at_every_point({facts[0], facts[1]}, eq(i, 0), box_of(6)));
}

TEST(IndexPoints, NoPointsAreAllGood) {
  Box box = box_of(6);
  box[Symbol("j")] = {Term(1), Term(0)};
  EXPECT_TRUE(holds_at_every_point({}, lt(i + j, 0), box));
  EXPECT_TRUE(holds_at_every_point({lt(i, 0)}, lt(i, 0), box_of(6)));
}

TEST(IndexPoints, NothingIsSaidOfWhatCannotBeTried) {
  EXPECT_FALSE(holds_at_every_point({}, le(0, i), {}));
  Box sized = box_of(6);
  sized[Symbol("i")] = {Term(0), int_var("n") - 1};
  EXPECT_FALSE(holds_at_every_point({}, le(0, i), sized));
  EXPECT_TRUE(holds_at_every_point({}, le(0, i + j + k), box_of(20)));
  EXPECT_FALSE(holds_at_every_point({}, le(0, i + j + k), box_of(200))) << "eight million points";
  EXPECT_FALSE(holds_at_every_point({}, le(0, floor_div(Term(1), i)), box_of(6))) << "a quotient by 0";
  EXPECT_FALSE(holds_at_every_point({le(0, floor_div(Term(1), i))}, le(0, i), box_of(6))) << "a fact without a value";
}

}  // namespace
}  // namespace vouch
