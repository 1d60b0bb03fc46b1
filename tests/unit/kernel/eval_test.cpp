#include "kernel/eval.h"

#include <cmath>

#include <fmt/format.h>

#include "kernel_text.h"

namespace vouch {
namespace {

using testing::decl;
using testing::evaluated;
using testing::failure;
using testing::random_tensor;
using testing::statement;

constexpr DType F32 = DType::Float32;
constexpr DType F64 = DType::Float64;
constexpr DType I32 = DType::Int32;

struct ConvCase {
  std::int64_t n, c, h, w, o, r, s, group, stride, dilation, pad_begin, pad_end;
};

std::int64_t output_extent(std::int64_t input, std::int64_t kernel, const ConvCase& k) {
  return (input + k.pad_begin + k.pad_end - k.dilation * (kernel - 1) - 1) / k.stride + 1;
}

Kernel conv_kernel(const ConvCase& k) {
  auto number = [](std::int64_t value) { return std::to_string(value); };
  std::string channels = k.group == 1 ? "c" : fmt::format("o // {} * {} + c", k.o / k.group, k.c / k.group);
  std::string row = fmt::format("p * {} + r * {} - {}", k.stride, k.dilation, k.pad_begin);
  std::string column = fmt::format("q * {} + s * {} - {}", k.stride, k.dilation, k.pad_begin);
  std::string value = fmt::format(
      "sum(c < {}, r < {}, s < {}) (select(0 <= {} < {} and 0 <= {} < {}, x[n, {}, {}, {}], 0.0) * w[o, c, r, s]) + b[o]",
      k.c / k.group, k.r, k.s, row, k.h, column, k.w, channels, row, column);
  return {"conv",
          {decl("x", F32, {number(k.n), number(k.c), number(k.h), number(k.w)}),
           decl("w", F32, {number(k.o), number(k.c / k.group), number(k.r), number(k.s)}), decl("b", F32, {number(k.o)})},
          {},
          {decl("y", F32, {number(k.n), number(k.o), number(output_extent(k.h, k.r, k)), number(output_extent(k.w, k.s, k))})},
          {statement("y", {"n", "o", "p", "q"}, value)}};
}

// The textbook loops.
std::vector<double> conv_loops(const ConvCase& k, const Tensor& x, const Tensor& w, const Tensor& b) {
  std::int64_t h = output_extent(k.h, k.r, k), v = output_extent(k.w, k.s, k), in = k.c / k.group, out = k.o / k.group;
  std::vector<double> y;
  for (std::int64_t n = 0; n < k.n; ++n) {
    for (std::int64_t o = 0; o < k.o; ++o) {
      for (std::int64_t p = 0; p < h; ++p) {
        for (std::int64_t q = 0; q < v; ++q) {
          double sum = b.double_at(o);
          for (std::int64_t c = 0; c < in; ++c) {
            for (std::int64_t r = 0; r < k.r; ++r) {
              for (std::int64_t s = 0; s < k.s; ++s) {
                std::int64_t i = p * k.stride + r * k.dilation - k.pad_begin;
                std::int64_t j = q * k.stride + s * k.dilation - k.pad_begin;
                if (i >= 0 && i < k.h && j >= 0 && j < k.w) {
                  sum += x.double_at(((n * k.c + o / out * in + c) * k.h + i) * k.w + j) *
                         w.double_at(((o * in + c) * k.r + r) * k.s + s);
                }
              }
            }
          }
          y.push_back(sum);
        }
      }
    }
  }
  return y;
}

void expect_close(const Tensor& actual, const std::vector<double>& expected, double tolerance = 1e-6) {
  ASSERT_EQ(actual.count(), static_cast<std::int64_t>(expected.size()));
  for (std::int64_t i = 0; i < actual.count(); ++i) {
    double want = expected[static_cast<std::size_t>(i)];
    ASSERT_NEAR(actual.double_at(i), want, tolerance * std::max(1.0, std::fabs(want))) << "at " << i;
  }
}

TEST(EvalKernel, ConvolutionsAgreeWithPlainLoops) {
  const ConvCase cases[] = {
      {1, 3, 17, 19, 8, 3, 3, 1, 1, 1, 1, 1}, {2, 4, 13, 13, 6, 1, 1, 1, 1, 1, 0, 0},
      {1, 3, 23, 21, 5, 7, 7, 1, 2, 1, 3, 3}, {1, 8, 9, 70, 12, 3, 3, 2, 1, 1, 1, 1},
      {1, 6, 15, 15, 6, 3, 3, 6, 1, 1, 1, 1}, {1, 6, 15, 80, 12, 3, 5, 3, 2, 2, 0, 3},
      {3, 2, 5, 5, 2, 3, 3, 1, 1, 1, 2, 2},   {1, 1, 4, 4, 1, 4, 4, 1, 1, 1, 0, 0},
      {1, 300, 3, 30, 9, 1, 1, 1, 1, 1, 0, 0},
  };
  for (const ConvCase& k : cases) {
    Tensor x = random_tensor(F32, {k.n, k.c, k.h, k.w}, 1);
    Tensor w = random_tensor(F32, {k.o, k.c / k.group, k.r, k.s}, 2);
    Tensor b = random_tensor(F32, {k.o}, 3);
    auto y = evaluated(conv_kernel(k), {x, w, b});
    ASSERT_EQ(y.size(), 1U);
    expect_close(y[0], conv_loops(k, x, w, b));
  }
}

TEST(EvalKernel, MatrixProductWithSymbolicSizes) {
  Kernel kernel{"matmul",
                {decl("a", F32, {"M", "K"}), decl("b", F32, {"K", "N"})},
                {},
                {decl("y", F32, {"M", "N"})},
                {statement("y", {"i", "j"}, "sum(k < K) (a[i, k] * b[k, j])")}};
  for (auto [m, k, n] : {std::tuple{70, 40, 90}, {1, 5, 7}, {5, 300, 1}, {9, 1, 513}, {130, 700, 65}}) {
    Tensor a = random_tensor(F32, {m, k}, 4);
    Tensor b = random_tensor(F32, {k, n}, 5);
    std::vector<double> expected;
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int t = 0; t < k; ++t) {
          sum += a.double_at(i * k + t) * b.double_at(t * n + j);
        }
        expected.push_back(sum);
      }
    }
    auto y = evaluated(kernel, {a, b});
    ASSERT_EQ(y.size(), 1U);
    expect_close(y[0], expected);
  }
}

TEST(EvalKernel, ResultsDoNotDependOnThreads) {
  ConvCase k{1, 8, 30, 33, 16, 3, 3, 1, 1, 1, 1, 1};
  std::vector<Tensor> inputs{random_tensor(F32, {1, 8, 30, 33}, 1), random_tensor(F32, {16, 8, 3, 3}, 2),
                             random_tensor(F32, {16}, 3)};
  auto one = evaluated(conv_kernel(k), inputs);
  for (int threads : {2, 3, 7}) {
    EXPECT_EQ(evaluated(conv_kernel(k), inputs, {}, {.threads = threads}), one);
  }
}

TEST(EvalKernel, PoolingLeavesPaddingOut) {
  Kernel kernel{"pool",
                {decl("x", F32, {"C", "H"})},
                {},
                {decl("y", F32, {"C", "(H + 1) // 2"}), decl("z", F32, {"C", "(H + 1) // 2"})},
                {statement("y", {"c", "p"}, "maximum(r < 3 where 0 <= 2 * p + r - 1 < H) x[c, 2 * p + r - 1]"),
                 statement("z", {"c", "p"},
                           "sum(r < 3) select(0 <= 2 * p + r - 1 < H, x[c, 2 * p + r - 1], 0.0)"
                           " / real(min(H, 2 * p + 2) - max(0, 2 * p - 1))")}};
  std::vector<double> x{5, -1, -2, -7, -3, -4, 8, 2, 9, 1};
  auto out = evaluated(kernel, {Tensor::of_doubles(F32, {2, 5}, x)});
  ASSERT_EQ(out.size(), 2U);
  // Windows of [5 -1 -2 -7 -3]: {5,-1}, {-1,-2,-7}, {-7,-3}; of [-4 8 2 9 1]: {-4,8}, {8,2,9}, {9,1}.
  expect_close(out[0], {5, -1, -3, 8, 9, 9});
  expect_close(out[1], {2, -10.0 / 3, -5, 2, 19.0 / 3, 5});
}

TEST(EvalKernel, SoftmaxThroughLocals) {
  Kernel kernel{"softmax",
                {decl("x", F32, {"N", "C"})},
                {decl("m", F32, {"N"}), decl("s", F32, {"N"})},
                {decl("y", F32, {"N", "C"})},
                {statement("m", {"n"}, "maximum(c < C) x[n, c]"),
                 statement("s", {"n"}, "sum(c < C) exp(x[n, c] - m[n])"),
                 statement("y", {"n", "c"}, "exp(x[n, c] - m[n]) / s[n]")}};
  Tensor x = random_tensor(F32, {7, 300}, 9);
  auto y = evaluated(kernel, {x});
  ASSERT_EQ(y.size(), 1U);
  std::vector<double> expected;
  for (int n = 0; n < 7; ++n) {
    double sum = 0;
    for (int c = 0; c < 300; ++c) {
      sum += std::exp(x.double_at(n * 300 + c));
    }
    for (int c = 0; c < 300; ++c) {
      expected.push_back(std::exp(x.double_at(n * 300 + c)) / sum);
    }
  }
  expect_close(y[0], expected);
}

Kernel elementwise(DType in, DType out, const std::string& value) {
  return {"elementwise", {decl("x", in, {"N"})}, {}, {decl("y", out, {"N"})}, {statement("y", {"i"}, value)}};
}

TEST(EvalKernel, IntegersWrapWhereStored) {
  std::vector<std::int64_t> x{127, -128, 5};
  auto y = evaluated(elementwise(DType::Int8, DType::Int8, "x[i] + 1.0"), {Tensor::of_ints(DType::Int8, {3}, x)});
  ASSERT_EQ(y.size(), 1U);
  EXPECT_EQ(y[0], Tensor::of_ints(DType::Int8, {3}, std::vector<std::int64_t>{-128, -127, 6}));
  // Compared before it wraps.
  y = evaluated(elementwise(DType::Int8, DType::Bool, "select(x[i] + 1.0 <= 127.0, 1.0, 0.0)"),
                {Tensor::of_ints(DType::Int8, {3}, x)});
  EXPECT_EQ(y[0], Tensor::of_ints(DType::Bool, {3}, std::vector<std::int64_t>{0, 1, 1}));
}

TEST(EvalKernel, IntegersBeyondDoublesStayExact) {
  std::vector<std::int64_t> x{(std::int64_t{1} << 60) + 1, -(std::int64_t{1} << 55) - 3};
  auto y = evaluated(elementwise(DType::Int64, DType::Int64, "sum(k < 3) x[i] - truncdiv(x[i], 1.0)"),
                     {Tensor::of_ints(DType::Int64, {2}, x)});
  ASSERT_EQ(y.size(), 1U);
  EXPECT_EQ(y[0], Tensor::of_ints(DType::Int64, {2}, std::vector<std::int64_t>{2 * x[0], 2 * x[1]}));
}

TEST(EvalKernel, IntegerQuotientsAndRemainders) {
  std::vector<std::int64_t> x{-7, 7, -6, 0};
  auto at = [&](const std::string& value) {
    return evaluated(elementwise(I32, I32, value), {Tensor::of_ints(I32, {4}, x)}).at(0);
  };
  auto ints = [](std::vector<std::int64_t> values) { return Tensor::of_ints(I32, {4}, values); };
  EXPECT_EQ(at("truncdiv(x[i], 3.0)"), ints({-2, 2, -2, 0}));
  EXPECT_EQ(at("mod(x[i], 3.0)"), ints({2, 1, 0, 0}));
  EXPECT_EQ(at("mod(x[i], -3.0)"), ints({-1, -2, 0, 0}));
  EXPECT_EQ(at("fmod(x[i], 3.0)"), ints({-1, 1, 0, 0}));
  EXPECT_EQ(at("pow(x[i], 2.0)"), ints({49, 49, 36, 0}));
  EXPECT_EQ(at("abs(x[i]) + sign(x[i])"), ints({6, 8, 5, 0}));
  EXPECT_EQ(at("real(int(x[i]) // 4 * 10 + int(x[i]) % 4)"), ints({-19, 13, -18, 0}));
}

TEST(EvalKernel, NotANumberSpreads) {
  std::vector<double> x{NAN, 1, -1, INFINITY};
  auto y = evaluated(elementwise(F32, F32, "fmax(x[i], 0.0) / x[i]"), {Tensor::of_doubles(F32, {4}, x)});
  ASSERT_EQ(y.size(), 1U);
  EXPECT_TRUE(std::isnan(y[0].double_at(0)));
  EXPECT_EQ(y[0].double_at(1), 1);
  EXPECT_EQ(y[0].double_at(2), -0.0);
  EXPECT_TRUE(std::isnan(y[0].double_at(3)));
  y = evaluated(elementwise(F32, F32, "maximum(k < N) x[k] + 0.0 * minimum(k < N) x[k]"), {Tensor::of_doubles(F32, {4}, x)});
  EXPECT_TRUE(std::isnan(y[0].double_at(1)));
}

TEST(EvalKernel, LocalsOfFloatTypesAreNotRounded) {
  Kernel kernel{"locals", {decl("x", F32, {"N"})}, {decl("t", F32, {"N"})}, {decl("y", F32, {"N"})},
                {statement("t", {"i"}, "x[i] + 1.0e-12"), statement("y", {"i"}, "(t[i] - x[i]) * 1.0e12")}};
  auto y = evaluated(kernel, {Tensor::of_doubles(F32, {1}, std::vector<double>{1})});
  EXPECT_NEAR(y.at(0).double_at(0), 1, 1e-3);
}

TEST(EvalKernel, GatherAndReshape) {
  Kernel kernel{"gather",
                {decl("x", F64, {"N", "M"}), decl("at", DType::Int64, {"K"})},
                {},
                {decl("y", F64, {"K", "M"}), decl("z", F64, {"M", "N"})},
                {statement("y", {"k", "m"}, "x[select(0 <= int(at[k]), int(at[k]), int(at[k]) + N), m]"),
                 statement("z", {"i", "j"}, "x[(i * N + j) // M, (i * N + j) % M]")}};
  std::vector<double> x{1, 2, 3, 4, 5, 6};
  std::vector<std::int64_t> at{1, -2, -1};
  std::vector<Tensor> inputs{Tensor::of_doubles(F64, {2, 3}, x), Tensor::of_ints(DType::Int64, {3}, at)};
  auto out = evaluated(kernel, inputs);
  ASSERT_EQ(out.size(), 2U);
  expect_close(out[0], {4, 5, 6, 1, 2, 3, 4, 5, 6});
  expect_close(out[1], x);
  inputs[1] = Tensor::of_ints(DType::Int64, {1}, std::vector<std::int64_t>{2});
  std::string message = failure(kernel, inputs);
  EXPECT_NE(message.find("kernel `gather`"), std::string::npos) << message;
  EXPECT_NE(message.find("index 2 is outside of 0 .. 1"), std::string::npos) << message;
}

TEST(EvalKernel, EmptyTensorsAndRankZero) {
  Kernel kernel{"total", {decl("x", F32, {"N", "M"})}, {}, {decl("y", F32, {}), decl("z", F32, {"M", "N"})},
                {statement("y", {}, "sum(i < N, j < M) x[i, j]"), statement("z", {"i", "j"}, "x[j, i]")}};
  auto out = evaluated(kernel, {Tensor(F32, {0, 4})});
  ASSERT_EQ(out.size(), 2U);
  EXPECT_EQ(out[0].double_at(0), 0);
  EXPECT_EQ(out[1].count(), 0);
  out = evaluated(kernel, {Tensor::of_doubles(F32, {1, 3}, std::vector<double>{1, 2, 4})});
  EXPECT_EQ(out.at(0).double_at(0), 7);
}

TEST(EvalKernel, WhatIsNeverReachedNeedsNoValue) {
  // A hoisted read or division would fail although its loop runs zero times, or its guard never holds.
  Kernel kernel{"unreached", {decl("x", F32, {"N"})}, {}, {decl("y", F32, {"N"})},
                {statement("y", {"i"}, "sum(k < N - N) x[99] + sum(k < N where 1 <= k - N) x[i // (N - 3)]"
                                       " + select(i <= -1, x[i - 100], 1.0) + sum(k < 2 where N <= i) x[N]")}};
  expect_close(evaluated(kernel, {Tensor(F32, {3})}).at(0), {1, 1, 1});
}

TEST(EvalKernel, ErrorsNameTheKernel) {
  auto expect_error = [](const Kernel& kernel, const std::vector<Tensor>& inputs, const char* part, EvalLimits limits = {}) {
    std::string message = failure(kernel, inputs, {}, limits);
    EXPECT_NE(message.find("kernel `elementwise`: error: "), std::string::npos) << message;
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  Tensor three = random_tensor(I32, {3}, 1);
  expect_error(elementwise(I32, I32, "x[i + 1]"), {three}, "index 3 is outside of 0 .. 2");
  expect_error(elementwise(I32, I32, "x[i - 1]"), {three}, "index -1 is outside");
  expect_error(elementwise(I32, I32, "truncdiv(x[i], x[i] - x[i])"), {three}, "integer division by zero");
  expect_error(elementwise(I32, I32, "real(i // (N - 3))"), {three}, "integer division by zero");
  expect_error(elementwise(F32, F32, "x[int(x[i] + 0.5)]"), {Tensor(F32, {2})}, "0.5 is no index");
  expect_error(elementwise(I32, I32, "x[i] + real q"), {three}, "`q` has no value");
  expect_error(elementwise(I32, I32, "x[i + q]"), {three}, "`q` has no value");
  expect_error(elementwise(I32, I32, "z[i]"), {three}, "`z` is read before it is computed");
  expect_error(elementwise(I32, I32, "y[i]"), {three}, "`y` is read before it is computed");
  expect_error(elementwise(I32, I32, "x[i, i]"), {three}, "rank 1, read with 2 indices");
  expect_error(elementwise(F32, I32, "x[i]"), {three}, "is int32, expected float32");
  expect_error(elementwise(I32, I32, "x[i]"), {}, "expected 1 inputs, found 0");
  expect_error(elementwise(I32, I32, "x[i]"), {random_tensor(I32, {3, 1}, 1)}, "has rank 2, expected 1");
  expect_error(elementwise(I32, I32, "x[i]"), {three}, "exceeds the limit of 2 elements", {.elements = 2});
  expect_error(elementwise(I32, I32, "x[(i + 1) * 4000000000 * 4000000000]"), {three}, "64 bits");
  Kernel huge = elementwise(I32, I32, "0.0");
  huge.outputs[0].extents = {Term(1) * int_const(Integer(1) << 40), Term(1) * int_const(Integer(1) << 40)};
  huge.statements[0].indices.emplace_back("j");
  expect_error(huge, {three}, "cannot have extents");
}

}  // namespace
}  // namespace vouch
