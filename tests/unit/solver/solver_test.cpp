#include "solver/solver.h"

#include <gtest/gtest.h>

#include <vector>

namespace vouch {
namespace {

TEST(Solver, ProvesAndRefutesLinearFacts) {
  Solver solver({});
  SolverExpr x = solver.variable("x");
  SolverExpr y = solver.variable("y");
  solver.add(solver.le(x, y));
  SolverExpr one = solver.integer(1);
  std::vector above{y, one};
  SolverExpr y1 = solver.sum(above);
  std::vector counter{solver.negate(solver.le(x, y1))};
  EXPECT_EQ(solver.check("x <= y + 1", counter), Answer::Unsat);
  std::vector other{solver.negate(solver.le(y, x))};
  ASSERT_EQ(solver.check("y <= x", other), Answer::Sat);
  EXPECT_LT(*solver.value(x), *solver.value(y));
}

TEST(Solver, FunctionsRespectEquality) {
  Solver solver({});
  SolverExpr x = solver.variable("x");
  SolverExpr y = solver.variable("y");
  std::vector of_x{x};
  std::vector of_y{y};
  solver.add(solver.eq(x, y));
  std::vector differ{solver.negate(solver.eq(solver.apply("f", of_x), solver.apply("f", of_y)))};
  EXPECT_EQ(solver.check("congruence", differ), Answer::Unsat);
}

TEST(Solver, ScopesEnd) {
  Solver solver({});
  solver.push();
  solver.add(solver.truth(false));
  EXPECT_EQ(solver.check("inside"), Answer::Unsat);
  solver.pop();
  EXPECT_EQ(solver.check("outside"), Answer::Sat);
}

TEST(Solver, BigNumbersKeepTheirDigits) {
  Solver solver({});
  SolverExpr x = solver.variable("x");
  Integer big = Integer(1) << 100;
  solver.add(solver.eq(x, solver.integer(big)));
  ASSERT_EQ(solver.check("big"), Answer::Sat);
  EXPECT_EQ(*solver.value(x), big);
}

TEST(Solver, PrintsAScriptWithItsExpectedAnswer) {
  Solver solver({});
  solver.add(solver.le(solver.variable("n m"), solver.integer(3)));
  std::string script = solver.smtlib("small", Answer::Sat);
  EXPECT_NE(script.find("(set-info :status sat)"), std::string::npos);
  EXPECT_EQ(script.find(":status"), script.rfind(":status")) << "one status alone";
  EXPECT_NE(script.find("|n m|"), std::string::npos);
}

TEST(Solver, NamesThatCannotBeQuotedAreWrittenOtherwise) {
  Solver solver({});
  SolverExpr names[] = {solver.variable("k'1"), solver.variable("k~271"), solver.variable("≡1"), solver.variable("a|b"),
                        solver.variable("@0")};
  solver.add(solver.eq(names[0], solver.sum(names)));
  std::string script = solver.smtlib("names", Answer::Sat);
  for (const char* name : {"k~271 ", "k~7e271 ", "~e2~89~a11 ", "a~7cb ", "~400 "}) {
    EXPECT_NE(script.find(name), std::string::npos) << name << " in\n" << script;
  }
}

}  // namespace
}  // namespace vouch
