#include "kernel/exact.h"

#include <fmt/format.h>

#include <cmath>

#include "kernel_text.h"
#include "random_kernel.h"
#include "term/print.h"

namespace vouch {
namespace {

using testing::decl;
using testing::parsed;
using testing::RandomKernels;
using testing::statement;

std::string shown(const Kernel& kernel) {
  std::string out;
  for (const Statement& s : kernel.statements) {
    out += fmt::format("{}[i, j] = {}\n", s.target.name(), print_term(s.value));
  }
  return out;
}

// Of the whole, or of an element of any output.
const EvalFailure* failure_of(const Evaluated<std::vector<ExactTensor>>& result) {
  if (const auto* failure = std::get_if<EvalFailure>(&result)) {
    return failure;
  }
  for (const ExactTensor& tensor : std::get<std::vector<ExactTensor>>(result)) {
    if (const EvalFailure* failure = first_missing(tensor)) {
      return failure;
    }
  }
  return nullptr;
}

struct Outcomes {
  int compared = 0;
  int failed = 0;
  int stricter = 0;  // loop programs divide by 0 and check constant indices also where nothing asks for the element
};

// Both evaluators on one random kernel: the same elements, or both an error.
void compare(std::uint32_t seed, bool integral, Outcomes& outcomes) {
  RandomKernels random(seed, integral);
  Kernel kernel = random.kernel();
  DType type = integral ? DType::Int64 : DType::Float64;
  std::vector<Tensor> inputs{random.tensor(type, {4, 3}, -4, 9), random.tensor(type, {6, 2}, -4, 9),
                             random.tensor(DType::Int64, {3}, 0, 4)};
  std::int64_t n = seed % 23 == 0 ? 0 : 1 + static_cast<std::int64_t>(seed % 2);
  SizeBindings sizes{{Symbol("n"), n}};
  std::vector<ExactTensor> exact_inputs;
  for (const Tensor& input : inputs) {
    exact_inputs.push_back(*exact_of(input));
  }
  auto exact = eval_exact(kernel, exact_inputs, sizes);
  Diagnostics diagnostics;
  auto outputs = eval_kernel(kernel, inputs, sizes, diagnostics);
  const EvalFailure* failure = failure_of(exact);
  if (failure == nullptr && !outputs) {
    ++outcomes.stricter;
    return;
  }
  ASSERT_EQ(failure == nullptr, outputs.has_value()) << "seed " << seed << "\n"
                                                     << shown(kernel) << (failure ? failure->message : "") << diagnostics.text();
  if (failure) {
    ++outcomes.failed;
    return;
  }
  ++outcomes.compared;
  const auto& expected = std::get<std::vector<ExactTensor>>(exact);
  for (std::size_t t = 0; t < expected.size(); ++t) {
    ASSERT_EQ((*outputs)[t].extents(), expected[t].extents);
    for (std::size_t e = 0; e < expected[t].values.size(); ++e) {
      auto at = static_cast<std::int64_t>(e);
      Rational actual = integral ? Rational((*outputs)[t].int_at(at)) : rational_of((*outputs)[t].double_at(at));
      ASSERT_EQ(actual, expected[t].values[e].enclosure().low) << "seed " << seed << ", element " << e << "\n" << shown(kernel);
    }
  }
}

TEST(LoopPrograms, AgreeWithExactEvaluationOnRandomIntegerKernels) {
  Outcomes outcomes;
  for (std::uint32_t seed = 0; seed < 2000 && !HasFatalFailure(); ++seed) {
    compare(seed, true, outcomes);
  }
  EXPECT_GT(outcomes.compared, 1200);
  EXPECT_LT(outcomes.stricter, 60);
  EXPECT_GT(outcomes.failed, 20);  // errors have to agree as well
}

TEST(LoopPrograms, AgreeWithExactEvaluationOnRandomRealKernels) {
  Outcomes outcomes;
  for (std::uint32_t seed = 10000; seed < 12000 && !HasFatalFailure(); ++seed) {
    compare(seed, false, outcomes);
  }
  EXPECT_GT(outcomes.compared, 1200);
  EXPECT_LT(outcomes.stricter, 60);
  EXPECT_GT(outcomes.failed, 20);
}

Kernel one(const std::string& value, DType in = DType::Float64, DType out = DType::Float64) {
  return {"one", {decl("x", in, {"N"})}, {}, {decl("y", out, {"N"})}, {statement("y", {"i"}, value)}};
}

TEST(LoopPrograms, FunctionsAgreeWithTheirEnclosures) {
  std::vector<double> x{-2.5, -1, -0.75, 0.25, 0.5, 0.875, 1, 3.5};
  Tensor input = Tensor::of_doubles(DType::Float64, {8}, x);
  for (const char* value : {"exp(x[i])",         "log(abs(x[i]))",   "sqrt(abs(x[i]))",
                            "tanh(x[i])",        "erf(x[i])",        "sin(x[i])",
                            "cos(x[i])",         "tan(x[i])",        "atan(x[i])",
                            "asin(x[i] / 4.0)",  "acos(x[i] / 4.0)", "sinh(x[i])",
                            "cosh(x[i])",        "asinh(x[i])",      "acosh(abs(x[i]) + 1.0)",
                            "atanh(x[i] / 4.0)", "pow(2.0, x[i])",   "sum(k < 20) exp(x[i] / (1.0 + real(k)))",
                            "mod(x[i], 0.75)",   "fmod(x[i], 0.75)", "truncdiv(x[i], 0.75)",
                            "round(x[i])",       "trunc(x[i])",      "ceil(x[i])"}) {
    auto exact = eval_exact(one(value), std::vector{*exact_of(input)}, {{Symbol("N"), 8}});
    ASSERT_TRUE(std::holds_alternative<std::vector<ExactTensor>>(exact)) << value << std::get<EvalFailure>(exact).message;
    Tensor expected = rounded(std::get<std::vector<ExactTensor>>(exact)[0]);
    auto actual = testing::evaluated(one(value), {input}, {{Symbol("N"), 8}});
    for (std::int64_t e = 0; e < 8; ++e) {
      double want = expected.double_at(e);
      EXPECT_NEAR(actual.at(0).double_at(e), want, 1e-13 * std::max(1.0, std::fabs(want))) << value << " at " << e;
    }
  }
}

std::string exact_failure(const Kernel& kernel, const Tensor& input, EvalProblem problem) {
  auto exact = eval_exact(kernel, std::vector{*exact_of(input)}, {{Symbol("N"), 2}}, {.elements = 100, .steps = 1000});
  const EvalFailure* failure = failure_of(exact);
  EXPECT_TRUE(failure && failure->problem == problem) << (failure ? failure->message : "a value");
  return failure ? failure->message : "";
}

TEST(EvalExact, FailuresNameKernelAndElement) {
  Tensor two = Tensor::of_doubles(DType::Float64, {2}, std::vector<double>{1, 0});
  std::string message = exact_failure(one("1.0 / x[i]"), two, EvalProblem::DivisionByZero);
  EXPECT_NE(message.find("`y` at [1]: division by zero"), std::string::npos) << message;
  exact_failure(one("x[i + 1]"), two, EvalProblem::OutOfRange);
  exact_failure(one("sum(k < 100000) x[i]"), two, EvalProblem::TooLarge);
  exact_failure(one("z[i]"), two, EvalProblem::Unbound);
  exact_failure(one("log(x[i] - 1.0)"), two, EvalProblem::Undefined);
  EXPECT_FALSE(exact_of(Tensor::of_doubles(DType::Float64, {1}, std::vector<double>{NAN})).has_value());
}

TEST(EvalExact, StoresAsTheTypeHolds) {
  Tensor x = Tensor::of_doubles(DType::Float64, {3}, std::vector<double>{-129.75, 200.5, 0.25});
  auto stored = [&](DType out) {
    auto exact = eval_exact(one("x[i]", DType::Float64, out), std::vector{*exact_of(x)}, {{Symbol("N"), 3}});
    return rounded(std::get<std::vector<ExactTensor>>(exact)[0]);
  };
  EXPECT_EQ(stored(DType::Int8), Tensor::of_ints(DType::Int8, {3}, std::vector<std::int64_t>{127, -56, 0}));
  EXPECT_EQ(stored(DType::UInt8), Tensor::of_ints(DType::UInt8, {3}, std::vector<std::int64_t>{127, 200, 0}));
  EXPECT_EQ(stored(DType::Bool), Tensor::of_ints(DType::Bool, {3}, std::vector<std::int64_t>{1, 1, 1}));
  for (DType out : {DType::Int8, DType::UInt8, DType::Int16, DType::UInt16, DType::Int32, DType::UInt32, DType::Int64,
                    DType::Bool, DType::Float32, DType::Float64, DType::Float16, DType::BFloat16}) {
    EXPECT_EQ(testing::evaluated(one("x[i]", DType::Float64, out), {x}, {{Symbol("N"), 3}}).at(0), stored(out))
        << dtype_name(out);
  }
}

TEST(EvalExact, SumsThatFloatsLose) {
  Tensor x = Tensor::of_doubles(DType::Float64, {3}, std::vector<double>{1e300, 1, -1e300});
  auto exact = eval_exact(one("sum(k < N) x[k]"), std::vector{*exact_of(x)}, {{Symbol("N"), 3}});
  EXPECT_EQ(std::get<std::vector<ExactTensor>>(exact)[0].values[0].enclosure().low, 1);
}

}  // namespace
}  // namespace vouch
