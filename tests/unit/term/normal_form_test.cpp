// Normal forms keep the value: random expressions are built as terms and, at the same time, computed by hand.
#include <gtest/gtest.h>

#include <random>

#include "term/eval.h"
#include "term/print.h"

namespace vouch {
namespace {

struct Number {
  Term term;
  std::int64_t value;
};
struct Condition {
  Term term;
  bool value;
};

std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(std::floor(static_cast<double>(a) / static_cast<double>(b)));
}

class Both {
 public:
  explicit Both(std::uint32_t seed) : random_(seed) {
    for (const char* name : {"a", "b", "c"}) {
      variables_.push_back({int_var(name), pick(21) - 10});
    }
    for (const char* name : {"m", "n"}) {
      positives_.push_back({int_var(name), 1 + pick(5)});
    }
    for (const std::vector<Number>& group : {variables_, positives_}) {
      for (const Number& number : group) {
        environment.integers.emplace(number.term->symbol, number.value);
      }
    }
  }

  int pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }

  Number positive() {
    if (pick(2)) {
      return positives_[static_cast<std::size_t>(pick(2))];
    }
    std::int64_t value = 1 + pick(6);
    return {Term(value), value};
  }

  Number number(int depth) {
    if (depth == 0) {
      std::int64_t constant = pick(13) - 6;
      return pick(2) ? Number{Term(constant), constant} : pick(3) ? variables_[static_cast<std::size_t>(pick(3))] : positive();
    }
    Number a = number(depth - 1);
    Number b = number(depth - 1);
    Number m = positive();
    switch (pick(8)) {
      case 0: return {a.term + b.term, a.value + b.value};
      case 1: return {a.term - b.term, a.value - b.value};
      case 2: return std::abs(a.value) < 1000 && std::abs(b.value) < 1000 ? Number{a.term * b.term, a.value * b.value} : a;
      case 3: return {floor_div(a.term, m.term), floor_quotient(a.value, m.value)};
      case 4: return {floor_mod(a.term, m.term), a.value - m.value * floor_quotient(a.value, m.value)};
      case 5: return {ceil_div(a.term, m.term), -floor_quotient(-a.value, m.value)};
      case 6:
        return pick(2) ? Number{int_min(a.term, b.term), std::min(a.value, b.value)}
                       : Number{int_max(a.term, b.term), std::max(a.value, b.value)};
      default: {
        Condition c = condition(depth - 1);
        return {int_select(c.term, a.term, b.term), c.value ? a.value : b.value};
      }
    }
  }

  Condition condition(int depth) {
    if (depth == 0 || pick(3) == 0) {
      Number a = number(depth);
      Number b = number(depth);
      switch (pick(8)) {
        case 0: return {le(a.term, b.term), a.value <= b.value};
        case 1: return {lt(a.term, b.term), a.value < b.value};
        case 2: return {ge(a.term, b.term), a.value >= b.value};
        case 3: return {gt(a.term, b.term), a.value > b.value};
        case 4: return {eq(a.term, b.term), a.value == b.value};
        case 5: return {ne(a.term, b.term), a.value != b.value};
        case 6: return {in_range(a.term, b.term), 0 <= a.value && a.value < b.value};
        default: {
          Number m = positive();
          return {divides(m.term, a.term), a.value % m.value == 0};
        }
      }
    }
    Condition a = condition(depth - 1);
    Condition b = condition(depth - 1);
    switch (pick(3)) {
      case 0: return {both(a.term, b.term), a.value && b.value};
      case 1: return {either(a.term, b.term), a.value || b.value};
      default: return {negate(a.term), !a.value};
    }
  }

  EvalEnvironment environment;

 private:
  std::mt19937 random_;
  std::vector<Number> variables_;
  std::vector<Number> positives_;
};

TEST(NormalForm, IntegersKeepTheirValue) {
  for (std::uint32_t seed = 0; seed < 20000; ++seed) {
    Both random(seed);
    Number number = random.number(1 + static_cast<int>(seed % 4));
    auto value = eval_int(number.term, random.environment);
    ASSERT_TRUE(std::holds_alternative<Integer>(value)) << "seed " << seed << ": " << print_term(number.term);
    ASSERT_EQ(std::get<Integer>(value), number.value) << "seed " << seed << ": " << print_term(number.term);
  }
}

TEST(NormalForm, GuardsKeepTheirTruth) {
  for (std::uint32_t seed = 0; seed < 20000; ++seed) {
    Both random(seed);
    Condition condition = random.condition(1 + static_cast<int>(seed % 3));
    auto value = eval_guard(condition.term, random.environment);
    ASSERT_TRUE(std::holds_alternative<bool>(value)) << "seed " << seed << ": " << print_term(condition.term);
    ASSERT_EQ(std::get<bool>(value), condition.value) << "seed " << seed << ": " << print_term(condition.term);
  }
}

TEST(NormalForm, FloorLawsOnSmallIntegers) {
  for (std::int64_t a = -25; a <= 25; ++a) {
    for (std::int64_t b : {-7, -3, -1, 1, 2, 3, 8}) {
      std::int64_t q = floor_quotient(a, b);
      EXPECT_EQ(floor_div(a, b), q);
      EXPECT_EQ(floor_div(Integer(a), Integer(b)), q);
      EXPECT_EQ(floor_mod(Integer(a), Integer(b)), a - q * b);
      EXPECT_EQ(floor_div(Term(a), Term(b)), Term(q));
      EXPECT_EQ(floor_mod(Term(a), Term(b)), Term(a - q * b));
    }
  }
}

TEST(NormalForm, IdenticalPolynomialsAreIdenticalTerms) {
  Term x = int_var("x"), y = int_var("y"), n = int_var("n");
  EXPECT_EQ((x + y) * (x - y), x * x - y * y);
  EXPECT_EQ(floor_div(x * n + y, n), x + floor_div(y, n));
  EXPECT_EQ(floor_mod(x * n + y, n), floor_mod(y, n));
  EXPECT_EQ(floor_div(floor_div(x, 3), 4), floor_div(x, 12));
  EXPECT_EQ(lt(x, y), le(x + 1, y));
  EXPECT_EQ(negate(negate(le(x, y))), le(x, y));
  EXPECT_EQ(eq(x + 1, y + 1), eq(y, x));
  EXPECT_EQ(both(le(x, y), negate(le(x, y))), bool_const(false));
  EXPECT_EQ(either(le(x, y), gt(x, y)), bool_const(true));
  EXPECT_EQ(int_min(x, x + 1), x);
  EXPECT_EQ(int_max(x - 2, x), x);
  EXPECT_EQ(int_max(x, int_max(y, x)), int_max(x, y));
  EXPECT_EQ(int_min(int_min(n, int_min(x, y)), x), int_min(n, int_min(x, y)));
  EXPECT_NE(int_max(x, int_min(y, x)), int_max(x, y));
}

TEST(NormalForm, DivisionByTheConstantZeroIsKeptForTheEvaluator) {
  EvalEnvironment empty;
  for (Term term : {floor_div(Term(7), Term(0)), floor_mod(Term(7), Term(0))}) {
    auto value = eval_int(term, empty);
    ASSERT_TRUE(std::holds_alternative<EvalFailure>(value));
    EXPECT_EQ(std::get<EvalFailure>(value).problem, EvalProblem::DivisionByZero);
  }
}

}  // namespace
}  // namespace vouch
