#include <gtest/gtest.h>

#include <functional>

#include "array/eval.h"
#include "array/parse.h"

namespace vouch::array {
namespace {

std::optional<Program> parse(const std::string& text, std::string& said) {
  Diagnostics diagnostics;
  std::optional<Program> program = parse_program(std::make_shared<Source>("k.fun", text), diagnostics);
  said = diagnostics.text();
  return program;
}

// Of n elements and positions i < n, j < m: what a condition says, and which element is read where it holds.
struct Read {
  std::string guard;
  std::string index;
  std::function<bool(int i, int j, int n, int m)> holds;
  std::function<int(int i, int j, int n, int m)> at;
  bool otherwise = false;  // the read stands in the other branch
};

#define WHEN(condition)                 \
  [](int i, int j, int n, int m) {      \
    (void)i, (void)j, (void)n, (void)m; \
    return condition;                   \
  }

std::string text_of(const Read& read) {
  std::string inside = "x[" + read.index + "]";
  return "kernel k(sizes n, m; x: num[n]) -> y: num[n, m] = generate i < n { generate j < m { if " + read.guard + " then " +
         (read.otherwise ? "-1 else " + inside : inside + " else -1") + " } }";
}

const std::vector<Read> kInside = {
    {"i + 1 < n", "i + 1", WHEN(i + 1 < n), WHEN(i + 1)},
    {"i < n - 1", "i + 1", WHEN(i < n - 1), WHEN(i + 1)},
    {"1 <= i", "i - 1", WHEN(1 <= i), WHEN(i - 1)},
    {"i < 1", "i - 1", WHEN(i >= 1), WHEN(i - 1), true},
    {"not { 2 <= i }", "i - 2", WHEN(2 <= i), WHEN(i - 2), true},
    {"n <= i + 2 or i < 1", "i + 2", WHEN(i + 2 < n && i >= 1), WHEN(i + 2), true},
    {"j <= i", "i - j", WHEN(j <= i), WHEN(i - j)},
    {"i + j < n", "i + j", WHEN(i + j < n), WHEN(i + j)},
    {"2 * i + 1 < n", "2 * i + 1", WHEN(2 * i + 1 < n), WHEN(2 * i + 1)},
    {"i == 3", "i - 2", WHEN(i == 3), WHEN(i - 2)},
    {"j < n and 1 <= j", "j - 1", WHEN(j < n && 1 <= j), WHEN(j - 1)},
    {"3 < n", "3", WHEN(3 < n), WHEN(3)},
    {"i + 2 == n", "i + 1", WHEN(i + 2 == n), WHEN(i + 1)},
    {"m <= n", "j", WHEN(m <= n), WHEN(j)},
    {"i / 2 + 3 < n", "i / 2 + 3", WHEN(i / 2 + 3 < n), WHEN(i / 2 + 3)},
    {"m <= i + 1", "i - (m - 1)", WHEN(m <= i + 1), WHEN(i - (m - 1))},
};

TEST(GuardedRead, ReadsTheElementWhereTheConditionHolds) {
  for (const Read& read : kInside) {
    std::string said;
    std::optional<Program> program = parse(text_of(read), said);
    ASSERT_TRUE(program) << said;
    for (int n = 0; n < 6; ++n) {
      for (int m = 0; m < 6; ++m) {
        Cells x;
        Cells expected;
        for (int i = 0; i < n; ++i) {
          x.push_back(static_cast<float>(10 + i));
          for (int j = 0; j < m; ++j) {
            int at = read.at(i, j, n, m);
            bool holds = read.holds(i, j, n, m);
            ASSERT_TRUE(!holds || (0 <= at && at < n)) << read.guard;
            expected.push_back(holds ? static_cast<float>(10 + at) : -1.0F);
          }
        }
        EXPECT_EQ(evaluate(*program, {n, m}, {x}), expected) << text_of(read) << " at " << n << ", " << m;
      }
    }
  }
}

// Each condition leaves a position outside.
TEST(GuardedRead, WhatMayBeOutsideIsRefused) {
  for (auto [guard, index, otherwise] : std::vector<std::tuple<std::string, std::string, bool>>{
           {"i + 1 <= n", "i + 1", false},
           {"i < n", "i + 1", false},
           {"1 <= i", "i - 2", false},
           {"1 <= i", "i + 1", true},
           {"1 <= i", "i - 1", true},
           {"i + 1 < n or 1 <= j", "i + 1", false},
           {"i + 1 < n and 1 <= j", "i + 1", true},
           {"not { i + 1 < n }", "i + 1", false},
           {"i <= j", "i - j", false},
           {"j < n", "i + j", false},
           {"i == j", "i + 1", false},
           {"3 <= n", "3", false},
           {"2 * i < n", "2 * i + 1", false},
           {"j + 1 < n", "i + 1", false},
           {"n <= m", "j", false},
       }) {
    std::string said;
    EXPECT_FALSE(parse(text_of({guard, index, {}, {}, otherwise}), said)) << guard << ": " << index;
    EXPECT_NE(said.find("this position cannot be proven to be in 0 <= … < n"), std::string::npos) << said;
  }
}

// A condition outside of a loop holds within, and its positions are those of the loops around it.
TEST(GuardedRead, UnderLoopsOfItsOwn) {
  std::string said;
  auto program = parse(
      "kernel k(sizes n, m; x: num[n]) -> y: num[n] = generate i < n { if i + 1 < n then fold j < m with acc = 0 "
      "{ if j < 1 then acc + x[i + 1] else acc + x[i] } else 0 }",
      said);
  ASSERT_TRUE(program) << said;
  EXPECT_EQ(evaluate(*program, {3, 2}, {{10, 20, 30}}), (Cells{30, 50, 0}));
  EXPECT_FALSE(
      parse("kernel k(sizes n, m; x: num[n]) -> y: num[n] = generate i < n { if i + 1 < n then fold j < n with acc = 0 "
            "{ acc + x[j + 1] } else 0 }",
            said));
}

// The condition is over after its branches.
TEST(GuardedRead, NotBehindTheCondition) {
  std::string said;
  EXPECT_FALSE(
      parse("kernel k(sizes n; x: num[n]) -> y: num[n] = generate i < n { (if i + 1 < n then 1 else 0) * x[i + 1] }", said));
}

}  // namespace
}  // namespace vouch::array
