// Conditions that are decided, worked out by hand; and drawn ones, at values within the bounds.
#include "lower/conditions.h"

#include <gtest/gtest.h>

#include "index_terms.h"

namespace vouch::array {
namespace {

const std::vector<unsigned> kAround{3, 2, 1, 0};

Guard less(const Index& a, const Index& b) { return guard_compare(GuardKind::Less, a, b); }
Guard equal(const Index& a, const Index& b) { return guard_compare(GuardKind::Equal, a, b); }
Guard both(const Guard& a, const Guard& b) { return guard_join(GuardKind::And, {a, b}); }
Guard either(const Guard& a, const Guard& b) { return guard_join(GuardKind::Or, {a, b}); }
Guard negated(const Guard& a) { return guard_join(GuardKind::Not, {a}); }

Known known() { return {kBounds, kAround}; }
std::optional<bool> decided(const Guard& guard) { return shortened(known(), guard).decided; }

TEST(Conditions, OfBounds) {
  EXPECT_EQ(decided(less(var(1), size(1))), true);
  EXPECT_EQ(decided(less(var(2), number(6))), true);
  EXPECT_EQ(decided(less(var(2), number(5))), std::nullopt);
  EXPECT_EQ(decided(less(add(var(0), var(1)), add(size(0), size(1)))), true);
  EXPECT_EQ(decided(less(add(var(0), var(1)), size(0))), std::nullopt);
  EXPECT_EQ(decided(less(size(1), var(1))), false);
  EXPECT_EQ(decided(less(mod(var(4), number(3)), number(3))), true);
  EXPECT_EQ(decided(less(over(var(2), number(2)), number(3))), true);
  EXPECT_EQ(decided(less(var(4), size(1))), std::nullopt);  // no loop bounds it
}

TEST(Conditions, OfDifferences) {
  // What is cut off at 0 is at least the difference.
  EXPECT_EQ(decided(less(sub(var(1), var(2)), size(1))), true);
  EXPECT_EQ(decided(less(sub(add(var(2), number(5)), var(2)), number(6))), true);
  EXPECT_EQ(decided(less(sub(var(2), number(1)), var(2))), std::nullopt);  // 0 at 0
  EXPECT_EQ(decided(equal(add(var(2), number(1)), number(0))), false);
  EXPECT_EQ(decided(equal(sub(add(var(0), number(3)), var(0)), number(3))), true);
  EXPECT_EQ(decided(equal(var(2), var(3))), std::nullopt);
}

TEST(Conditions, OfParts) {
  Guard always = less(var(1), size(1));
  Guard never = less(number(6), var(2));
  Guard open = less(var(4), var(0));
  EXPECT_EQ(decided(both(open, never)), false);
  EXPECT_EQ(decided(either(open, always)), true);
  EXPECT_EQ(decided(negated(never)), true);
  EXPECT_EQ(shortened(known(), both(always, open)).guard, open);
  EXPECT_EQ(shortened(known(), either(open, never)).guard, open);
  EXPECT_EQ(shortened(known(), negated(either(never, open))).guard, negated(open));
}

TEST(Conditions, WhatWasAskedBeforeIsNotAskedAgain) {
  Guard open = less(var(4), size(1));
  EXPECT_EQ(shortened(known(), both(open, less(var(4), add(size(1), number(1))))).guard, open);
  EXPECT_EQ(shortened(known(), either(open, less(var(4), size(1)))).guard, open);
  EXPECT_EQ(shortened(learnt(known(), false, open), open).decided, false);
  EXPECT_EQ(shortened(learnt(known(), true, equal(var(4), number(2))), less(var(4), number(3))).decided, true);
  EXPECT_EQ(shortened(learnt(known(), false, equal(var(4), number(2))), less(var(4), number(3))).decided, std::nullopt);
  EXPECT_EQ(shortened(learnt(known(), true, negated(less(var(4), number(2)))), less(number(1), var(4))).decided, true);
}

Guard random_guard(std::mt19937_64& random, int depth) {
  switch (random() % (depth == 0 ? 2 : 5)) {
    case 0: return less(random_index(random, 2), random_index(random, 1));
    case 1: return equal(random_index(random, 2), random_index(random, 1));
    case 2: return both(random_guard(random, depth - 1), random_guard(random, depth - 1));
    case 3: return either(random_guard(random, depth - 1), random_guard(random, depth - 1));
    default: return negated(random_guard(random, depth - 1));
  }
}

bool is_natural(const Guard& guard, const IndexValues& values) {
  return std::all_of(guard->terms.begin(), guard->terms.end(), [&](const Index& term) { return is_natural(term, values); }) &&
         std::all_of(guard->parts.begin(), guard->parts.end(), [&](const Guard& part) { return is_natural(part, values); });
}

TEST(Conditions, DrawnOnesKeepTheirValue) {
  std::mt19937_64 random(11);
  int settled = 0;
  for (int round = 0; round < 20000; ++round) {
    Guard around = random_guard(random, 1);
    Guard guard = random_guard(random, 2);
    std::vector<Integer> sizes{1 + random() % 5, 1 + random() % 5};
    std::vector<Integer> loops{random() % sizes[0], random() % sizes[1], random() % 6, random() % 4, random() % 12};
    IndexValues values{sizes, [&](unsigned i) { return loops.at(i); }};
    if (!is_natural(guard, values) || !is_natural(around, values)) {
      continue;
    }
    Outcome short_one = shortened(learnt(known(), *guard_value(around, values), around), guard);
    settled += short_one.decided || short_one.guard != guard ? 1 : 0;
    ASSERT_EQ(guard_value(guard, values), short_one.decided ? short_one.decided : guard_value(short_one.guard, values))
        << "round " << round;
  }
  EXPECT_GT(settled, 4000);
}

}  // namespace
}  // namespace vouch::array
