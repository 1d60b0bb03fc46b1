// What is said to hold at a point does: facts that contradict each other have no witness, however they are written.
#include "facts/witnesses.h"

#include <gtest/gtest.h>

#include <map>

#include "variables.h"

namespace vouch {
namespace {

Witnesses::ValueOf values(std::map<std::string, std::int64_t> given) {
  return [given](Symbol name) {
    auto found = given.find(name.name());
    return found != given.end() ? std::optional(found->second) : std::nullopt;
  };
}

TEST(Witnesses, SmallNumbersAreThereFromTheBeginning) {
  Witnesses points;
  Term n = var("n");
  Term m = var("m");
  EXPECT_TRUE(points.satisfy({ge(n, 1), ge(m, 1), lt(n, m)}));
  EXPECT_TRUE(points.satisfy({ge(n, 1), in_range(var("@0"), n)}));
}

TEST(Witnesses, AnOfferedPointIsUsed) {
  Witnesses points;
  Term n = var("n");
  Facts far{eq(n * n + n, 156)};
  EXPECT_FALSE(points.satisfy(far));
  points.offer(far, values({{"n", 12}}));
  EXPECT_TRUE(points.satisfy(far));
  EXPECT_TRUE(points.satisfy({eq(floor_div(n, 5), 2), gt(n, 10)}));
}

TEST(Witnesses, APointThatDoesNotFitIsNotKept) {
  Witnesses points;
  Term n = var("n");
  points.offer({eq(n * n, 144)}, values({{"n", 40}}));
  EXPECT_FALSE(points.satisfy({gt(n, 30)}));
}

// An index may be the last one of its extent, and no more.
TEST(Witnesses, IndicesAreTriedAtTheirLastPlaces) {
  Witnesses points;
  Term n = var("n");
  Term at = var("@0");
  points.offer({eq(n * n, 144)}, values({{"n", 12}}));
  EXPECT_TRUE(points.satisfy({eq(n * n, 144), in_range(at, n)}));
  EXPECT_TRUE(points.satisfy({eq(n * n, 144), le(0, at), lt(at, n), ge(at, 11)}));
  EXPECT_FALSE(points.satisfy({eq(n * n, 144), le(0, at), lt(at, n), ge(at, 12)}));
  Term other = var("@1");
  Facts both_last{eq(n * n, 144), le(0, at), lt(at, n), le(0, other), lt(other, 5), ge(at * 5 + other, 59)};
  EXPECT_TRUE(points.satisfy(both_last));
  EXPECT_FALSE(points.satisfy({eq(n * n, 144), le(0, at), lt(at, n - 12), ge(at, 0)}));
}

// Sizes of a tensor that takes another shape: one product is another's, and numbers that are all drawn hardly ever make that so.
TEST(Witnesses, SizesOfEqualProductsAreFound) {
  Term a = var("a");
  Term b = var("b");
  Term c = var("c");
  Term s = var("s");
  Term t = var("t");
  Facts shapes{ge(a, 1), ge(b, 1), ge(c, 1), ge(s, 2), ge(t, 2), eq(s * t, a * b * c)};
  Facts others = shapes;
  others.insert(others.end(), {ne(s, a), ne(s, b), ne(s, c), ne(s, t)});
  EXPECT_TRUE(Witnesses().satisfy(others));
  Facts part{ge(a, 2), ge(b, 2), ge(s, 2), eq(s * floor_div(a * b, s), a * b), ne(s, a), ne(s, b), lt(s, a * b)};
  EXPECT_TRUE(Witnesses().satisfy(part));
  Facts inside = shapes;
  Term at = var("@0") * t + var("@1");
  inside.insert(inside.end(),
                {le(0, var("@0")), lt(var("@0"), s), le(0, var("@1")), lt(var("@1"), t), gt(at, a + b), lt(at, s * t - 1)});
  EXPECT_TRUE(Witnesses().satisfy(inside));
}

TEST(Witnesses, SizesOfEqualProductsThatCannotBeHaveNone) {
  Term a = var("a");
  Term b = var("b");
  Term s = var("s");
  Term t = var("t");
  Facts larger{ge(a, 1), ge(b, 1), gt(s, a), gt(t, b), eq(s * t, a * b)};
  EXPECT_FALSE(Witnesses().satisfy(larger));
  Facts beyond{ge(a, 1),
               ge(b, 1),
               ge(s, 1),
               ge(t, 1),
               eq(s * t, a * b),
               in_range(var("@0"), s),
               in_range(var("@1"), t),
               ge(var("@0") * t + var("@1"), a * b)};
  EXPECT_FALSE(Witnesses().satisfy(beyond));
}

TEST(Witnesses, ContradictionsHaveNone) {
  Witnesses points;
  Term n = var("n");
  Term m = var("m");
  Term q = floor_div(n, m);
  for (std::int64_t k = -3; k < 9; ++k) {
    points.offer({eq(n, k), eq(m, 5 - k)}, values({{"n", k}, {"m", 5 - k}}));
  }
  EXPECT_FALSE(points.satisfy({lt(n, m), lt(m, n)}));
  EXPECT_FALSE(points.satisfy({ge(n, 0), ge(m, 1), lt(n, m), ge(q, 1)}));
  EXPECT_FALSE(points.satisfy({ge(m, 1), gt(m * q, n)}));
  EXPECT_FALSE(points.satisfy({eq(n * n, 2)}));
  EXPECT_FALSE(points.satisfy({either(lt(n, m), eq(n, m)), lt(m, n)}));
  EXPECT_FALSE(points.satisfy({lt(int_max(n, m), n)}));
  EXPECT_FALSE(points.satisfy({ne(int_select(lt(n, m), m, n), int_max(n, m))}));
}

// A quotient by what is not positive has no meaning here, nor have elements of tensors.
TEST(Witnesses, WhatHasNoValueIsNoWitness) {
  Witnesses points;
  Term n = var("n");
  Term m = var("m");
  points.offer({eq(n, 6), eq(m, -2)}, values({{"n", 6}, {"m", -2}}));
  EXPECT_TRUE(points.satisfy({eq(m, -2), eq(n, 6)}));
  EXPECT_FALSE(points.satisfy({eq(m, -2), eq(floor_div(n, m), -3)}));
  Term data = int_of(read(Symbol("x"), {n}));
  EXPECT_FALSE(points.satisfy({ge(data, 0)}));
  Term large = int_const(Integer("9223372036854775807"));
  EXPECT_FALSE(points.satisfy({ge(n * large * large, 0), eq(n, 6)}));
}

}  // namespace
}  // namespace vouch
