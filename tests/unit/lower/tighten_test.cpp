#include "lower/tighten.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "imp/eval.h"
#include "index_terms.h"

namespace vouch::array {
namespace {

constexpr unsigned kOutput = 0;
constexpr unsigned kOuter = 2;
constexpr unsigned kInner = 3;

Flat assigned(const FlatExp& value) {
  FlatNode node;
  node.kind = FlatKind::Assign;
  node.var = kOutput;
  node.index = number(0);
  node.value = value;
  return Flat(std::move(node));
}

Flat looped(unsigned variable, long count, const Flat& body) {
  FlatNode node;
  node.kind = FlatKind::For;
  node.var = variable;
  node.size = size_const(count);
  node.parts = {body};
  return Flat(std::move(node));
}

Flat in_order(const Flat& first, const Flat& second) {
  FlatNode node;
  node.kind = FlatKind::Seq;
  node.parts = {first, second};
  return Flat(std::move(node));
}

// Sums of some variables and numbers, quotients of a variable by a number.
Index random_side(std::mt19937& random) {
  Index side = number(static_cast<long>(random() % 5));
  for (unsigned variable : {kOuter, kInner}) {
    switch (random() % 4) {
      case 0: side = add(side, var(variable)); break;
      case 1: side = add(var(variable), side); break;
      case 2: side = add(side, over(mul(var(variable), number(2)), number(3))); break;
      default: break;
    }
  }
  return side;
}

Guard random_guard(std::mt19937& random, int depth) {
  unsigned choice = random() % 6;
  if (depth > 0 && choice < 3) {
    return guard_join(GuardKind::And, {random_guard(random, depth - 1), random_guard(random, depth - 1)});
  }
  if (depth > 0 && choice == 3) {
    return guard_join(GuardKind::Not, {random_guard(random, depth - 1)});
  }
  return guard_compare(choice == 4 && random() % 3 == 0 ? GuardKind::Equal : GuardKind::Less, random_side(random),
                       random_side(random));
}

// Which iterations add something, and in which order, decides the sum.
Flat random_sum(std::mt19937& random) {
  FlatExp before = flat_read(kOutput, number(0));
  FlatExp term = flat_index(add(mul(var(kOuter), number(8)), add(var(kInner), number(1))));
  FlatExp more = flat_op(Op::Add, {flat_op(Op::Mul, {before, flat_const({3, 0})}), term});
  Flat step = assigned(flat_if(random_guard(random, 2), more, before));
  return in_order(assigned(flat_const({0, 0})),
                  looped(kOuter, static_cast<long>(random() % 5), looped(kInner, static_cast<long>(random() % 5), step)));
}

bool bounded(const Flat& c) {
  return !c->from.empty() || !c->until.empty() || std::any_of(c->parts.begin(), c->parts.end(), bounded);
}

TEST(Tighten, TheSameIterationsInTheSameOrder) {
  std::mt19937 random(20);
  int with_bounds = 0;
  for (int round = 0; round < 4000; ++round) {
    Flat plain = random_sum(random);
    Flat tight = tightened(plain);
    with_bounds += bounded(tight) ? 1 : 0;
    FlatRun expected = run_flat(plain, {}, {{0.0F}});
    FlatRun found = run_flat(tight, {}, {{0.0F}});
    ASSERT_EQ(expected.problem, "") << round;
    ASSERT_EQ(found.problem, "") << round;
    ASSERT_EQ(expected.output, found.output) << round;
  }
  EXPECT_GT(with_bounds, 1500);
}

// j < 4 and i <= j: no condition is left, and the outer loop has no bound.
TEST(Tighten, ConditionsBecomeBounds) {
  Guard guard = guard_join(GuardKind::And, {guard_compare(GuardKind::Less, var(kInner), number(4)),
                                            guard_compare(GuardKind::Less, var(kOuter), add(var(kInner), number(1)))});
  FlatExp before = flat_read(kOutput, number(0));
  FlatExp more = flat_op(Op::Add, {before, flat_index(var(kInner))});
  Flat outer = tightened(looped(kOuter, 6, looped(kInner, 7, assigned(flat_if(guard, more, before)))));
  const Flat& inner = outer->parts[0];
  EXPECT_FALSE(!outer->from.empty() || !outer->until.empty());
  EXPECT_EQ(inner->from, (std::vector<FlatDifference>{{var(kOuter), number(0)}}));
  EXPECT_EQ(inner->until, (std::vector<FlatDifference>{{number(4), number(0)}}));
  EXPECT_EQ(inner->parts[0], assigned(more));
}

}  // namespace
}  // namespace vouch::array
