// What holds of whole numbers, and not of integers that wrap around.
#include <gtest/gtest.h>

#include "verdict_of.h"

namespace vouch {
namespace {

const char* const kThreeIntegers =
    "let x = * {rank = 1, dtype = float32}; let y = * {shape = x.shape, dtype = float32}; let z = * {shape = x.shape, dtype = "
    "float32};\n"
    "let a = Cast(x) {to = int32}; let b = Cast(y) {to = int32}; let c = Cast(z) {to = int32};\n";

// Inputs and outputs are floats: the integers lie between. (x = 2^31 - 128, y = 0, z = 200: the larger sum wraps around.)
TEST(Wrapping, IsSeenBetweenFloats) {
  RuleVerdict largest = check_rule(rule_of(std::string(kThreeIntegers) + "source Cast(Max((a + c, b + c))) {to = float32}; "
                                                                         "target Cast(Max((a, b)) + c) {to = float32};"),
                                   {});
  EXPECT_FALSE(is_sound(largest.verdict));
  RuleVerdict compared = check_rule(rule_of(std::string(kThreeIntegers) + "source Cast(Less(a + c, b + c)) {to = float32}; "
                                                                          "drop z; target Cast(Less(a, b)) {to = float32};"),
                                    {});
  EXPECT_FALSE(is_sound(compared.verdict));
}

TEST(Wrapping, KeepsTheLawsOfARing) {
  RuleVerdict sums = check_rule(rule_of(std::string(kThreeIntegers) + "source Cast((a + b) * c) {to = float32}; "
                                                                      "target Cast(a * c + b * c) {to = float32};"),
                                {});
  EXPECT_TRUE(is_sound(sums.verdict)) << sums.reason;
}

// 30000 + 30000 is 60000 in 32 bits and -5536 in 16: what is lost is lost before the integer becomes another element.
TEST(Wrapping, IsOfTheTypeThatIsComputedIn) {
  const char* const kTwo = "let a = * {rank = 1, dtype = int16}; let b = * {shape = a.shape, dtype = int16};\n";
  for (const char* to : {"int64", "float32", "int32"}) {
    std::string wide = std::string("Cast(Cast(a) {to = int32} + Cast(b) {to = int32}) {to = ") + to + "}";
    std::string narrow = std::string("Cast(a + b) {to = ") + to + "}";
    EXPECT_FALSE(is_sound(check_rule(rule_of(kTwo + ("source " + wide + "; target " + narrow + ";")), {}).verdict)) << to;
    EXPECT_FALSE(is_sound(check_rule(rule_of(kTwo + ("source " + narrow + "; target " + wide + ";")), {}).verdict)) << to;
  }
}

// 2 * 2^30 wraps around, and half of it is another number.
TEST(Wrapping, IsNotUndoneByHalves) {
  EXPECT_FALSE(is_sound(
      check_rule(rule_of("let a = * {rank = 2, dtype = int32}; let b = * {rank = 2, dtype = int32};\n"
                         "source Gemm(a + a, b, _) {alpha = 0.5, beta = 0}; target Gemm(a, b, _) {alpha = 1, beta = 0};"),
                 {})
          .verdict));
}

// Constants: 2^30 + 2^30 does not fit, and is no number of 2^31.
TEST(Wrapping, OfConstantsIsSeen) {
  EXPECT_FALSE(is_sound(
      check_rule(rule_of("let x = * {rank = 1, dtype = int32}; let c = const {value = 1073741824, rank = 0, dtype = int32};\n"
                         "let d = const {value = 2147483648, rank = 0, dtype = int64};\n"
                         "source Cast(x) {to = float64} * Cast(c + c) {to = float64};\n"
                         "target Cast(x) {to = float64} * Cast(d) {to = float64};"),
                 {})
          .verdict));
}

// The greatest number of a type and one more is the least: of all types, not of those alone whose numbers are few.
TEST(Wrapping, IsFoundAtTheEndOfEachType) {
  for (const char* type : {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}) {
    std::string operands =
        std::string("let x = * {dtype = ") + type + "}; let one = const {value = 1, rank = 0, dtype = " + type + "};\n";
    EXPECT_EQ(verdict_of(operands + "source Greater(x + one, x); target Equal(x, x);"), Verdict::Unsound) << type;
    EXPECT_EQ(verdict_of(operands + "source Less(x - one, x); target Equal(x, x);"), Verdict::Unsound) << type;
  }
}

}  // namespace
}  // namespace vouch
