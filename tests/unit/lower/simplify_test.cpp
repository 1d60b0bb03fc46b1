#include "lower/simplify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "array/parse.h"
#include "imp/print_c.h"
#include "index_terms.h"
#include "lower/lower.h"

namespace vouch::array {
namespace {

Index simple(const Index& e) { return simple(kBounds, e); }

TEST(Simplify, QuotientAndRemainderOfASum) {
  Index e = add(mul(var(0), size(1)), var(1));  // i*n + j, j < n
  EXPECT_EQ(simple(over(e, size(1))), var(0));
  EXPECT_EQ(simple(mod(e, size(1))), var(1));
  Index numbers = add(mul(var(4), number(6)), var(2));
  EXPECT_EQ(simple(over(numbers, number(6))), var(4));
  EXPECT_EQ(simple(mod(numbers, number(6))), var(2));
  EXPECT_EQ(simple(over(numbers, number(3))), over(numbers, number(3)));  // var 2 goes up to 5
  EXPECT_EQ(simple(over(add(mul(var(4), number(8)), var(3)), number(4))), mul(var(4), number(2)));
}

// Where the second part may reach the divisor, nothing is simplified.
TEST(Simplify, NoBoundNoChange) {
  for (const Index& e : {add(mul(var(0), size(1)), var(4)), add(mul(var(0), size(1)), var(0)), add(mul(var(0), size(0)), var(1)),
                         mul(var(0), size(1)), add(mul(var(0), size(1)), add(var(1), number(1)))}) {
    EXPECT_EQ(simple(over(e, size(1))), over(e, size(1)));
    EXPECT_EQ(simple(mod(e, size(1))), mod(e, size(1)));
  }
}

TEST(Simplify, SmallTermsHaveNoQuotient) {
  EXPECT_EQ(simple(over(var(3), number(4))), number(0));
  EXPECT_EQ(simple(mod(var(3), number(4))), var(3));
  EXPECT_EQ(simple(mod(over(var(2), number(2)), number(3))), over(var(2), number(2)));  // at most 5 / 2
  EXPECT_EQ(simple(mod(over(var(2), number(2)), number(2))), mod(over(var(2), number(2)), number(2)));
  EXPECT_EQ(simple(mod(var(1), size(1))), var(1));
}

TEST(Simplify, QuotientAndRemainderMeetAgain) {
  Index x = var(4);
  EXPECT_EQ(simple(add(mul(over(x, size(1)), size(1)), mod(x, size(1)))), x);
  Index row = index_size(size_mul(size_var(1), size_var(0)));
  Index rest = var(2);
  EXPECT_EQ(simple(add(mul(over(x, size(1)), row), add(mul(mod(x, size(1)), size(0)), rest))), add(mul(x, size(0)), rest));
  EXPECT_EQ(simple(add(mul(over(x, size(0)), size(1)), mod(x, size(1)))), add(mul(over(x, size(0)), size(1)), mod(x, size(1))));
}

TEST(Simplify, NeutralAndNumbers) {
  EXPECT_EQ(simple(mul(add(number(0), var(0)), number(1))), var(0));
  EXPECT_EQ(simple(add(number(2), mul(number(3), number(4)))), number(14));
  EXPECT_EQ(simple(over(sub(number(14), number(1)), number(4))), number(3));
  EXPECT_EQ(simple(mod(number(13), number(4))), number(1));
}

// Naturals: x - 1 is 0 where x is, so that what is taken away first is not added again.
TEST(Simplify, WhatIsAddedIsTakenAway) {
  Index i = var(4);
  EXPECT_EQ(simple(sub(add(i, number(2)), number(2))), i);
  EXPECT_EQ(simple(sub(sub(add(i, number(1)), number(1)), number(1))), sub(i, number(1)));
  EXPECT_EQ(simple(sub(add(i, number(5)), number(2))), add(i, number(3)));
  EXPECT_EQ(simple(sub(add(i, number(2)), number(5))), sub(i, number(3)));
  EXPECT_EQ(simple(sub(sub(i, number(2)), number(5))), sub(i, number(7)));
  EXPECT_EQ(simple(sub(add(i, size(1)), size(1))), i);
  EXPECT_EQ(simple(sub(add(size(1), i), size(1))), i);
  EXPECT_EQ(simple(add(sub(i, number(2)), number(2))), add(sub(i, number(2)), number(2)));
  EXPECT_EQ(simple(sub(add(i, size(1)), size(0))), sub(add(i, size(1)), size(0)));
}

// Same value, wherever the term has one; and simple terms stay.
TEST(Simplify, RandomTermsKeepTheirValue) {
  std::mt19937_64 random(7);
  int changed = 0;
  for (int round = 0; round < 20000; ++round) {
    Index e = random_index(random, 4);
    Index small = simple(e);
    changed += small == e ? 0 : 1;
    std::vector<Integer> sizes{1 + random() % 5, 1 + random() % 5};
    std::vector<Integer> loops{random() % sizes[0], random() % sizes[1], random() % 6, random() % 4, random() % 50};
    IndexValues values{sizes, [&](unsigned i) { return loops.at(i); }};
    if (is_natural(e, values)) {
      ASSERT_EQ(index_value(e, values), index_value(small, values)) << "round " << round;
    }
  }
  EXPECT_GT(changed, 4000);
}

std::string text_of(const std::string& kernel) {
  Diagnostics diagnostics;
  auto program = parse_program(std::make_shared<Source>("k.fun", kernel), diagnostics);
  EXPECT_TRUE(program) << diagnostics.text();
  return print_c(program->name, c_names(*program), input_types(*program), flat_program(*program));
}

// Rows are joined and cut again: no quotient is left in the C text, for all sizes.
TEST(Simplify, JoinThenSplit) {
  std::string c =
      text_of("kernel k(sizes m, n; x: num[m, n]) -> y: num[m, n] = map r in x.join.split(n, m) { map a in r { -a } }");
  EXPECT_NE(c.find("y[((i2 * n) + i3)] = (-x[((i2 * n) + i3)]);"), std::string::npos) << c;
}

TEST(Simplify, SumOfBlocksReadsThemInOrder) {
  std::string c = text_of(
      "kernel k(sizes a, b, n; x: num[a, b, n]) -> y: num[n] =\n"
      "  reduce block in x.join with sum = fill(num[n], 0) { map xy in zip(sum, block) { xy.fst + xy.snd } }");
  EXPECT_EQ(c.find('%'), std::string::npos) << c;
}

// The sum over the columns starts from the sum so far, in place: what would copy it to itself is left out.
TEST(Simplify, NothingIsCopiedToItself) {
  std::string c = text_of(
      "kernel k(sizes m, n, p; x: num[m, n, p]) -> y: num[p] =\n"
      "  reduce into rows in x with s = fill(num[p], 0) {\n"
      "    reduce into row in rows with t = s { map e in zip(row, t) { e.fst + e.snd } } }");
  EXPECT_EQ(c.find("y[i3] = y[i3];"), std::string::npos) << c;
  EXPECT_NE(c.find("y[i4] = (x["), std::string::npos) << c;
}

FlatNode assignment(unsigned to, const FlatExp& value) {
  FlatNode node;
  node.kind = FlatKind::Assign;
  node.var = to;
  node.index = var(2);
  node.value = value;
  return node;
}

Flat within(FlatKind kind, std::vector<Flat> parts) {
  FlatNode node;
  node.kind = kind;
  node.var = 2;
  node.size = size_const(6);
  node.parts = std::move(parts);
  return Flat(std::move(node));
}

TEST(Simplify, OnlyWhatDoesNothingIsLeftOut) {
  Flat idle(assignment(7, flat_read(7, add(number(0), var(2)))));
  Flat of_another(assignment(7, flat_read(6, var(2))));
  Flat of_another_place(assignment(7, flat_read(7, var(3))));
  Flat changed(assignment(7, flat_op(Op::Neg, {flat_read(7, var(2))})));
  EXPECT_EQ(simplify(within(FlatKind::For, {idle}))->kind, FlatKind::Skip);
  EXPECT_EQ(simplify(within(FlatKind::New, {within(FlatKind::For, {idle})}))->kind, FlatKind::Skip);
  for (const Flat& kept : {of_another, of_another_place, changed}) {
    EXPECT_EQ(simplify(within(FlatKind::Seq, {within(FlatKind::For, {idle}), kept})), kept);
    EXPECT_EQ(simplify(within(FlatKind::Seq, {kept, within(FlatKind::For, {idle})})), kept);
    EXPECT_EQ(simplify(within(FlatKind::For, {kept})), within(FlatKind::For, {kept}));
  }
}

}  // namespace
}  // namespace vouch::array
