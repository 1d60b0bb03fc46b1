// True rules about numbers that are kept as small integers; false ones stand in unit/optimize/quantised_seams.gsl.
#include <gtest/gtest.h>

#include "verdict_of.h"

namespace vouch {
namespace {

const std::string kScales =
    "let sa = * {rank = 0, dtype = float32}; let sb = * {rank = 0, dtype = float32}; let sy = * {rank = 0, dtype = float32};\n"
    "let za = * {rank = 0, dtype = int8}; let zb = * {rank = 0, dtype = int8}; let zy = * {rank = 0, dtype = int8};\n";

TEST(QuantisedRules, OperatorsOfFloatsAreThoseOfIntegersOverTheReals) {
  for (const char* op : {"Add", "Mul"}) {
    std::string operands = "let a = * {rank = 1, dtype = int8}; let b = * {rank = 1, dtype = int8, shape = a.shape};\n" + kScales;
    EXPECT_EQ(verdict_of(operands + "source QuantizeLinear(" + op +
                         "(DequantizeLinear(a, sa, za), DequantizeLinear(b, sb, zb)), sy, zy);\n" + "target QLinear" + op +
                         "(a, sa, za, b, sb, zb, sy, zy);"),
              Verdict::SoundReal)
        << op;
  }
  EXPECT_EQ(verdict_of("let a = * {rank = 2, dtype = int8}; let b = * {rank = 2, dtype = int8};\n" + kScales +
                       "source QuantizeLinear(MatMul(DequantizeLinear(a, sa, za), DequantizeLinear(b, sb, zb)), sy, zy);\n"
                       "target QLinearMatMul(a, sa, za, b, sb, zb, sy, zy);"),
            Verdict::SoundReal);
}

TEST(QuantisedRules, MovedElementsAreQuantisedAlike) {
  std::string operands =
      "let x = * {rank = 2, dtype = float32}; let s = * {rank = 1, dtype = float32}; let z = * {rank = 1, dtype = int8};\n";
  EXPECT_EQ(verdict_of(operands + "source QuantizeLinear(Transpose(x) {perm = (1, 0)}, s, z) {axis = 1};\n"
                                  "target Transpose(QuantizeLinear(x, s, z) {axis = 0}) {perm = (1, 0)};"),
            Verdict::SoundExact);
  EXPECT_EQ(
      verdict_of("let x = * {dtype = float32}; let s = * {rank = 0, dtype = float32}; let z = * {rank = 0, dtype = uint8};\n"
                 "source QuantizeLinear(Identity(x), s, z); target QuantizeLinear(x, s, z);"),
      Verdict::SoundExact);
}

TEST(QuantisedRules, WhatWasQuantisedIsAStepAlready) {
  std::string operands =
      "let x = * {dtype = float32}; let s = const {rank = 0, dtype = float32}; let z = const {rank = 0, dtype = int8};\n"
      "where s.value > 0; let q = QuantizeLinear(x, s, z);\n";
  EXPECT_EQ(verdict_of(operands + "source QuantizeLinear(DequantizeLinear(q, s, z), s, z); target q;"), Verdict::SoundReal);
  EXPECT_FALSE(is_sound(verdict_of(operands + "let y = const {rank = 0, dtype = int8};\n"
                                              "source QuantizeLinear(DequantizeLinear(q, s, z), s, y); target q;")));
  EXPECT_FALSE(
      is_sound(verdict_of(operands + "source QuantizeLinear(DequantizeLinear(q, s, z), s); target Cast(q) {to = uint8};")));
}

TEST(QuantisedRules, StepsOfAnyBytesAreMoved) {
  const std::string operands =
      "let q = *; let s = const {rank = 0}; let z = const {rank = 0}; where s.value > 0;\n"
      "let x = DequantizeLinear(q, s, z);\n";
  EXPECT_EQ(verdict_of(operands + "source QuantizeLinear(x, s, z); target q;"), Verdict::SoundReal);
  EXPECT_EQ(verdict_of(operands + "let p = *; let c = Concat((x, DequantizeLinear(p, s, z)));\n"
                                  "source QuantizeLinear(c, s, z); target Concat((q, p)) {axis as c};"),
            Verdict::SoundReal);
  EXPECT_EQ(verdict_of(operands + "let m = ReduceMax(x); source QuantizeLinear(m, s, z); target ReduceMax(q) {* as m};"),
            Verdict::SoundReal);
}

// As (x * s) / s is x over the reals: where the source divides by 0, it means nothing.
TEST(QuantisedRules, StepsOfAnyScaleComeBack) {
  EXPECT_EQ(verdict_of("let q = * {dtype = int8}; let s = * {rank = 0, dtype = float32}; let z = * {rank = 0, dtype = int8};\n"
                       "drop s; drop z; source QuantizeLinear(DequantizeLinear(q, s, z), s, z); target q;"),
            Verdict::SoundReal);
}

TEST(QuantisedRules, ABoundOfATypeBoundsNothing) {
  EXPECT_EQ(verdict_of("let q = * {dtype = int8}; source Max((q, const {value = -128, rank = 0})); target q;"),
            Verdict::SoundExact);
  EXPECT_EQ(verdict_of("let q = * {dtype = uint8}; source Clip(q, const {value = 0, rank = 0}, const {value = 255, rank = 0});\n"
                       "target q;"),
            Verdict::SoundExact);
}

TEST(QuantisedRules, WhatIsBoundedByWholeNumbersMayBeRoundedLast) {
  EXPECT_EQ(verdict_of("let x = * {dtype = float32}; source Max((Round(x), const {value = 3, rank = 0, dtype = float32}));\n"
                       "target Round(Max((x, const {value = 3, rank = 0, dtype = float32})));"),
            Verdict::SoundReal);
  EXPECT_EQ(verdict_of("let x = * {dtype = float32}; let one = const {value = 1, rank = 0, dtype = float32};\n"
                       "source Min((Floor(x) + one, const {value = 3, rank = 0, dtype = float32}));\n"
                       "target Floor(Min((x, const {value = 2, rank = 0, dtype = float32}))) + one;"),
            Verdict::SoundReal);
}

TEST(QuantisedRules, RoundingLeavesWholeNumbers) {
  EXPECT_TRUE(
      is_sound(verdict_of("let x = * {dtype = int8}; let f = Cast(x) {to = float32}; source Round(f + f); target f + f;")));
  EXPECT_EQ(verdict_of("let x = * {dtype = int8}; let f = Cast(x) {to = float32}; source Round(f * 0.5); target f * 0.5;"),
            Verdict::Unsound);
  EXPECT_EQ(verdict_of("let x = * {dtype = float32}; source Round(x + x); target x + x;"), Verdict::Unsound);
}

}  // namespace
}  // namespace vouch
