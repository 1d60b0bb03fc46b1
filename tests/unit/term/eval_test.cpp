#include "term/eval.h"

#include <gtest/gtest.h>

#include "parsed_term.h"
#include "term/parse.h"

namespace vouch {
namespace {

// x[i] == (i + 1)^2 for 0 <= i < 5
EvalEnvironment environment() {
  EvalEnvironment e;
  e.steps = 100000;
  e.integers = {{Symbol("n"), 5}, {Symbol("z"), 0}};
  e.scalars = {{Symbol("eps"), Rational(1, 10)}};
  e.read = [](Symbol tensor, std::span<const std::int64_t> at) -> std::optional<ExactNumber> {
    if (tensor != Symbol("x") || at.size() != 1 || at[0] < 0 || at[0] >= 5) {
      return std::nullopt;
    }
    return ExactNumber((at[0] + 1) * (at[0] + 1));
  };
  return e;
}

Rational exact(std::string text) {
  auto value = eval_scalar(parsed(text), environment());
  const auto* failure = std::get_if<EvalFailure>(&value);
  EXPECT_EQ(failure, nullptr) << text << ": " << (failure ? failure->message : "");
  EXPECT_TRUE(failure || std::get<Enclosure>(value).exact()) << text;
  return failure ? Rational(-999) : std::get<Enclosure>(value).low;
}

EvalProblem problem(std::string text) {
  auto value = eval_scalar(parsed(text), environment());
  EXPECT_TRUE(std::holds_alternative<EvalFailure>(value)) << text;
  return std::holds_alternative<EvalFailure>(value) ? std::get<EvalFailure>(value).problem : EvalProblem::Unbound;
}

TEST(EvalTerm, Scalars) {
  EXPECT_EQ(exact("sum(i < n) x[i]"), 55);
  EXPECT_EQ(exact("prod(i < 3) (x[i] / 2.0)"), Rational(36, 8));
  EXPECT_EQ(exact("maximum(i < n where i % 2 == 1) x[i]"), 16);
  EXPECT_EQ(exact("minimum(i < n) -x[i]"), -25);
  EXPECT_EQ(exact("sum(i < n, j < n where j < i) real(j)"), 0 + 1 + 3 + 6);
  EXPECT_EQ(exact("sum(i < z) x[i]"), 0);
  EXPECT_EQ(exact("sum(i < z - 3) x[i]"), 0);
  EXPECT_EQ(exact("sqrt(x[2]) + real eps"), Rational(31, 10));
  EXPECT_EQ(exact("x[int(x[1])]"), 25);
}

TEST(EvalTerm, SameNameBoundTwice) {
  EXPECT_EQ(exact("sum(i < 3) (x[i] * sum(i < 2) x[i])"), 14 * 5);
  EXPECT_EQ(exact("sum(i < 3) sum(j < 2) (x[i] + sum(i < 2) (x[i] + x[j]))"), 28 + 30 + 2 * 3 * 5);
}

// A sum first met three binders deep is shared by, and first evaluated within, a reduction of the same depth.
TEST(EvalTerm, SharedReductionsDoNotDisturbTheirUsers) {
  EXPECT_EQ(exact("select(n == 0, sum(a < 2) sum(b < 2) (sum(k < 3) x[k]), 0.0)"
                  " + sum(a < 2) sum(b < 2) sum(c < 3) (sum(k < 3) x[k] + real(c))"),
            4 * (3 * 14 + 3));
}

TEST(EvalTerm, OnlyWhatIsNeededIsDefined) {
  EXPECT_EQ(exact("select(n == 5, 1.0, x[99])"), 1);
  EXPECT_EQ(exact("sum(i < 9 where i < n) x[i]"), 55);
  EXPECT_EQ(exact("select(n <= 3 and x[99] < 1.0, 1.0, 2.0)"), 2);
  EXPECT_EQ(exact("real(select(z == 0, 7, n // z))"), 7);
}

TEST(EvalTerm, Problems) {
  EXPECT_EQ(problem("x[5]"), EvalProblem::OutOfRange);
  EXPECT_EQ(problem("x[-1]"), EvalProblem::OutOfRange);
  EXPECT_EQ(problem("y[0]"), EvalProblem::OutOfRange);
  EXPECT_EQ(problem("real(n // z)"), EvalProblem::DivisionByZero);
  EXPECT_EQ(problem("1.0 / (x[0] - 1.0)"), EvalProblem::DivisionByZero);
  EXPECT_EQ(problem("mod(1.0, real(z))"), EvalProblem::DivisionByZero);
  EXPECT_EQ(problem("real(m)"), EvalProblem::Unbound);
  EXPECT_EQ(problem("real gamma"), EvalProblem::Unbound);
  EXPECT_EQ(problem("log(-1.0)"), EvalProblem::Undefined);
  EXPECT_EQ(problem("real(int(real eps) + 1)"), EvalProblem::Undefined);
  EXPECT_EQ(problem("select(sqrt(2.0) * sqrt(2.0) < 2.0, 0.0, 1.0)"), EvalProblem::Undecided);
  EXPECT_EQ(problem("sum(i < 1000000000000) real(i)"), EvalProblem::TooLarge);
}

TEST(EvalTerm, InfinityOfEmptyExtrema) {
  auto value = eval_scalar(parsed("maximum(i < z) x[i]"), environment());
  EXPECT_EQ(std::get<Enclosure>(value).infinite, -1);
  EXPECT_EQ(exact("fmax(maximum(i < z) x[i], 3.0)"), 3);
  EXPECT_EQ(exact("exp(maximum(i < z) x[i])"), 0);
  EXPECT_EQ(problem("maximum(i < z) x[i] + minimum(i < z) x[i]"), EvalProblem::Undefined);
}

TEST(EvalTerm, TellsCloseIrrationalsApart) {
  auto value = [](std::string text) {
    Term term = parsed(text);
    return [term](int bits) {
      EvalEnvironment e = environment();
      e.bits = bits;
      return eval_scalar(term, e);
    };
  };
  // sqrt(2) + sqrt(3) against sqrt(5 + 2 sqrt(6)): equal, and never told apart; moved by 10^-200: told apart.
  auto a = value("sqrt(2.0) + sqrt(3.0)");
  EXPECT_EQ(tell_apart(a, value("sqrt(5.0 + 2.0 * sqrt(6.0))"), 512), Told::Unknown);
  EXPECT_EQ(tell_apart(a, value("sqrt(5.0 + 2.0 * sqrt(6.0)) + 1.0e-200")), Told::Different);
  EXPECT_EQ(tell_apart(value("x[1]"), value("sqrt(16.0)")), Told::Equal);
  EXPECT_EQ(tell_apart(value("select(exp(1.0) < 2.7182818284590452353602874713526625, 1.0, 0.0)"), value("1.0")), Told::Equal);
}

TEST(PointEvaluator, EvaluatesEachPoint) {
  EvalEnvironment e = environment();
  std::vector<Symbol> indices{Symbol("i"), Symbol("j")};
  PointEvaluator evaluator(parsed("x[i] + real(j) * sum(k < n) x[k]"), indices, e);
  for (std::int64_t i = 0; i < 5; ++i) {
    for (std::int64_t j = 0; j < 3; ++j) {
      std::vector<std::int64_t> point{i, j};
      EXPECT_EQ(std::get<ExactNumber>(evaluator.at(point)).enclosure().low, (i + 1) * (i + 1) + 55 * j);
    }
  }
  std::vector<std::int64_t> outside{7, 0};
  EXPECT_TRUE(std::holds_alternative<EvalFailure>(evaluator.at(outside)));
  std::vector<std::int64_t> inside{2, 0};
  EXPECT_EQ(std::get<ExactNumber>(evaluator.at(inside)).enclosure().low, 9);
}

}  // namespace
}  // namespace vouch
