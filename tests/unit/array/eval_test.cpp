#include "array/eval.h"

#include <gtest/gtest.h>

#include <cmath>

#include "array/constant.h"
#include "array/parse.h"

namespace vouch::array {
namespace {

Cells run(const std::string& text, const std::vector<Integer>& sizes, const std::vector<Cells>& inputs) {
  Diagnostics diagnostics;
  auto program = parse_program(std::make_shared<Source>("k.fun", text), diagnostics);
  EXPECT_TRUE(program) << diagnostics.text();
  return program ? evaluate(*program, sizes, inputs) : Cells();
}

TEST(ArrayEval, LayoutsByHand) {
  EXPECT_EQ(run("kernel k(sizes n; x: num[n]) -> y: num[n] = x.reverse", {3}, {{1, 2, 3}}), (Cells{3, 2, 1}));
  EXPECT_EQ(run("kernel k(x: num[2, 3]) -> y: num[3, 2] = x.transpose", {}, {{1, 2, 3, 4, 5, 6}}), (Cells{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(run("kernel k(x: num[6]) -> y: num[3, 2] = x.split(2, 3)", {}, {{1, 2, 3, 4, 5, 6}}), (Cells{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(run("kernel k(x: num[6]) -> y: num[2, 3] = x.split(2, 3).transpose", {}, {{1, 2, 3, 4, 5, 6}}),
            (Cells{1, 3, 5, 2, 4, 6}));
  EXPECT_EQ(run("kernel k(x: num[7]) -> y: num[3, 2] = x.slide(3, 2, 2, 2)", {}, {{0, 1, 2, 3, 4, 5, 6}}),
            (Cells{0, 2, 2, 4, 4, 6}));
  EXPECT_EQ(run("kernel k(x: num[4]) -> y: num[2] = x.slice(1, 2)", {}, {{0, 1, 2, 3}}), (Cells{1, 2}));
  EXPECT_EQ(run("kernel k(x: num[2]) -> y: num[4] = x.pad(1, 1, -1)", {}, {{5, 6}}), (Cells{-1, 5, 6, -1}));
  EXPECT_EQ(run("kernel k(x: num) -> y: num[3] = x.repeat(3)", {}, {{7}}), (Cells{7, 7, 7}));
  EXPECT_EQ(run("kernel k(x: num[2, 2]) -> y: num[2, 2] = x.each(reverse)", {}, {{1, 2, 3, 4}}), (Cells{2, 1, 4, 3}));
  EXPECT_EQ(run("kernel k(x: (num, num)[2]) -> y: (num[2], num[2]) = x.unzip", {}, {{1, 2, 3, 4}}), (Cells{1, 3, 2, 4}));
  EXPECT_EQ(run("kernel k(x: num[2], y: num[2]) -> z: (num, num)[2] = zip(x, y)", {}, {{1, 2}, {3, 4}}), (Cells{1, 3, 2, 4}));
  EXPECT_EQ(run("kernel k(x: num[1], y: num[2]) -> z: num[3] = cat(x, y)", {}, {{1}, {3, 4}}), (Cells{1, 3, 4}));
}

TEST(ArrayEval, LoopsByHand) {
  EXPECT_EQ(run("kernel k(sizes n; x: num[n]) -> y: num = reduce a in x with s = 10 { s - a }", {3}, {{1, 2, 3}}), (Cells{4}));
  EXPECT_EQ(run("kernel k(sizes n; x: num[n]) -> y: num[n] = map a@i in x { if i < 1 then a else a * 2 }", {3}, {{1, 2, 3}}),
            (Cells{1, 4, 6}));
  EXPECT_EQ(run("kernel k(sizes n) -> y: num[n] = generate i < n { if i % 2 == 1 then 1 else 0 }", {4}, {}), (Cells{0, 1, 0, 1}));
  // The corrected reading of a reduction whose step reads other cells than it writes.
  EXPECT_EQ(
      run("kernel k(x: num[1], y: num[3]) -> z: num[3] = reduce a in x with acc = mem(y) { acc.reverse }", {}, {{0}, {1, 2, 3}}),
      (Cells{3, 2, 1}));
  EXPECT_EQ(run("kernel k(sizes n; x: num[n]) -> y: num = reduce a in x with s = 7 { s - a }", {0}, {{}}), (Cells{7}));
}

TEST(ArrayEval, EachOperationIsRoundedOnItsOwn) {
  float a = 1.0F + 0x1p-12F;
  EXPECT_EQ(run("kernel k(a: num, b: num) -> y: num = a * a - b", {}, {{a}, {1.0F + 0x1p-11F}}), (Cells{0.0F}));
  EXPECT_EQ(run("kernel k(a: num, b: num) -> y: num = fma(a, a, -b)", {}, {{a}, {1.0F + 0x1p-11F}}), (Cells{0x1p-24F}));
}

TEST(Constant, FloatsBothWays) {
  for (float value : {0.0F, 1.0F, -2.5F, 0.1F, 0x1p-149F, 0x1.fffffep127F, 16777216.0F, INFINITY, -INFINITY, 3e-41F}) {
    auto constant = const_of(value);
    ASSERT_TRUE(constant) << value;
    EXPECT_TRUE(is_binary32(*constant)) << value;
    EXPECT_EQ(float_of(*constant), value);
  }
  EXPECT_FALSE(const_of(NAN));
  EXPECT_FALSE(const_of(-0.0F));
}

}  // namespace
}  // namespace vouch::array
