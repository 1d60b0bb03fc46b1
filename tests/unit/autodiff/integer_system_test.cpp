#include "autodiff/integer_system.h"

#include <gtest/gtest.h>

#include <set>

#include "term/eval.h"

namespace vouch {
namespace {

EvalEnvironment at(std::int64_t z) {
  EvalEnvironment environment;
  environment.integers[Symbol("z")] = z;
  return environment;
}

// All (x, y) in a box with a*x + b*y = z, by trial, are those that the solution gives, and t is what the inverse says.
void expect_solves(std::int64_t a, std::int64_t b) {
  IntegerSolution solution = solve_equations({{{Integer(a), Integer(b)}, int_var("z")}}, {Integer(0), Integer(0)});
  ASSERT_EQ(solution.directions.size(), 1u);
  for (std::int64_t z = -20; z <= 20; ++z) {
    bool holds = std::get<bool>(eval_guard(solution.guard, at(z)));
    std::set<std::pair<Integer, Integer>> found;
    for (std::int64_t t = -100; t <= 100 && holds; ++t) {
      Integer x = std::get<Integer>(eval_int(solution.offset[0], at(z))) + solution.directions[0][0] * t;
      Integer y = std::get<Integer>(eval_int(solution.offset[1], at(z))) + solution.directions[0][1] * t;
      EXPECT_EQ(a * x + b * y, z);
      EXPECT_EQ(solution.inverse[0][0] * x + solution.inverse[0][1] * y, t);
      found.emplace(x, y);
    }
    for (std::int64_t x = -10; x <= 10; ++x) {
      for (std::int64_t y = -10; y <= 10; ++y) {
        EXPECT_EQ(found.contains({x, y}), a * x + b * y == z) << a << "*" << x << " + " << b << "*" << y << " = " << z;
      }
    }
  }
}

TEST(IntegerSystem, FindsAllSolutions) {
  for (auto [a, b] : {std::pair{3, 5}, {2, 4}, {1, 1}, {-2, 3}, {6, -4}, {7, 0}}) {
    expect_solves(a, b);
  }
}

TEST(IntegerSystem, AnEquationWithoutVariablesIsAGuard) {
  IntegerSolution solution = solve_equations({{{Integer(0)}, int_var("z")}}, {Integer(0)});
  EXPECT_EQ(solution.guard, eq(int_var("z"), Term(0)));
  EXPECT_EQ(solution.directions.size(), 1u);
}

TEST(IntegerSystem, SolvesForTheVariableOfLeastRank) {
  IntegerSolution solution = solve_equations({{{Integer(1), Integer(1)}, int_var("z")}}, {Integer(-50), Integer(-3)});
  EXPECT_EQ(solution.origins, std::vector<std::size_t>{1});
}

}  // namespace
}  // namespace vouch
