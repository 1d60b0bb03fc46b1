// What is concluded of equations between sizes holds at every small solution, and what does not follow is not concluded.
#include "facts/size_equations.h"

#include <gtest/gtest.h>

#include "facts/unit_equations.h"
#include "variables.h"

namespace vouch {
namespace {

class SizeEquations : public testing::Test {
 protected:
  Term a = var("a");
  Term b = var("b");
  Term p = var("p");
  Term q = var("q");
  Term x = var("x");
  Term y = var("y");
};

Term after(const std::vector<Term>& facts, Term term) {
  std::vector<Term> more;
  return substitute(term, solve_units(facts, &more));
}

TEST_F(SizeEquations, OnePaddingMakesEqualSizesOfEqualSizesAlone) {
  const std::set<Symbol> both{p->symbol, q->symbol};
  auto equal = [&](Term e, const std::set<Symbol>& not_negative) { return equal_variables(e, not_negative).has_value(); };
  EXPECT_TRUE(equal(a + a * p - b - b * p, both));
  EXPECT_TRUE(equal(b * 2 + b * p * q * 3 - a * 2 - a * p * q * 3, both));
  EXPECT_FALSE(equal(a + a * p - b - b * p, {q->symbol}));   // p may be -1
  EXPECT_FALSE(equal(a * q + a * p - b * q - b * p, both));  // both may be 0
  EXPECT_FALSE(equal(a - a * p - b + b * p, both));          // 1 - p may be 0
  EXPECT_FALSE(equal(a + a * p - b - b * q, both));          // not one factor
  EXPECT_FALSE(equal(a + a * p + b + b * p, both));          // a == -b
  EXPECT_FALSE(equal(a + a * p - b - b * p + 1, both));
  EXPECT_FALSE(equal(a * a + a * p - b * b - b * p, both));
}

TEST_F(SizeEquations, ExtremaAreSettledByLeastSizes) {
  const std::set<Symbol> positive{a->symbol, b->symbol};
  EXPECT_EQ(settled(int_max(a - 1, 0) * p, positive), (a - 1) * p);
  EXPECT_EQ(settled(int_min(a * b, 1) + b, positive), b + 1);
  for (Term open : {int_max(a - 2, 0), int_max(p, 0), int_max(a - b, 0), int_min(a, 2)}) {
    EXPECT_EQ(settled(open, positive), open);
  }
}

TEST_F(SizeEquations, FactorsAboveZeroAreTakenOutOfQuotients) {
  const std::set<Symbol> positive{a->symbol, b->symbol};
  EXPECT_EQ(settled(floor_div(x * a + y * a * b, q * a), positive), floor_div(x + y * b, q));
  for (Term open : {floor_div(x * p, q * p), floor_div(x * a + 1, q * a), floor_div(x * a, a + q)}) {
    EXPECT_EQ(settled(open, positive), open);
  }
}

TEST_F(SizeEquations, AQuotientThatIsKnownIsReplaced) {
  Term quotient = floor_div(x * y, a);
  auto known = known_quotient(quotient - x);
  ASSERT_TRUE(known.has_value());
  EXPECT_EQ(known->first, quotient);
  EXPECT_EQ(known->second, x);
  EXPECT_FALSE(known_quotient(quotient * 2 - x).has_value());
  EXPECT_FALSE(known_quotient(quotient - b * floor_div(quotient, b)).has_value());
}

// x * y elements as (-1, a), of which the first size is x: then a is y. Without that it may be any divisor.
TEST_F(SizeEquations, AReshapeThatKeepsTheFirstSizeKeepsTheOther) {
  std::vector<Term> facts{ge(x, 1), ge(y, 1), ge(a, 1), eq(x * y, a * floor_div(x * y, a))};
  EXPECT_NE(after(facts, a), after(facts, y));
  facts.push_back(eq(floor_div(x * y, a), x));
  EXPECT_EQ(after(facts, a), after(facts, y));
  facts[0] = ge(x, 0);  // of nothing, any size is the other
  EXPECT_NE(after(facts, a), after(facts, y));
}

// x elements as (-1, a, b), of which the first size is x: then a and b are 1.
TEST_F(SizeEquations, AReshapeOfAllIntoTheFirstSizeLeavesOnes) {
  std::vector<Term> facts{ge(x, 1), ge(a, 1), ge(b, 1), eq(x, a * b * floor_div(x, a * b)), eq(floor_div(x, a * b), x)};
  EXPECT_EQ(after(facts, a), Term(1));
  EXPECT_EQ(after(facts, b), Term(1));
  facts[1] = ge(a, -1);  // a and b may both be -1
  facts[2] = ge(b, -1);
  EXPECT_NE(after(facts, a), Term(1));
}

}  // namespace
}  // namespace vouch
