// A number among the operands of a call of the target has the type of the tensor beside it, if the operator takes both of the
// same types: what holds of one integer type is proven of those, and what does not is refuted there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "verdict_of.h"

namespace vouch {
namespace {

std::string of_type(const char* dtype) { return fmt::format("let x = * {{dtype = {}}}; ", dtype); }

// Division truncates: floor(floor(n / 2) / 3) is floor(n / 6), and of a negative number its opposite.
TEST(LiteralTypes, AreThoseOfTheTensorBeside) {
  for (const char* dtype : {"int32", "int16", "uint8", "int64"}) {
    EXPECT_TRUE(is_sound(verdict_of(of_type(dtype) + "source (x / 2) / 3; target Div(x, 6);"))) << dtype;
    EXPECT_EQ(verdict_of(of_type(dtype) + "source (x / 2) / 3; target Div(x, 5);"), Verdict::Unsound) << dtype;
    EXPECT_TRUE(is_sound(verdict_of(of_type(dtype) + "source x + x; target Mul(2, x);"))) << dtype;
    EXPECT_EQ(verdict_of(of_type(dtype) + "source x + x; target Mul(x, 3);"), Verdict::Unsound) << dtype;
  }
}

TEST(LiteralTypes, AreOfTheBranchThatIsChosenNotOfTheCondition) {
  const std::string chosen = "let c = * {dtype = bool}; let x = * {dtype = int16}; source Where(Not(c), 0, x); ";
  EXPECT_TRUE(is_sound(verdict_of(chosen + "target Where(c, x, 0);")));
  EXPECT_EQ(verdict_of(chosen + "target Where(c, x, 1);"), Verdict::Unsound);
}

TEST(LiteralTypes, AreOfBoundsToo) {
  const std::string clipped = "let x = * {dtype = int8}; source Clip(Clip(x, 0, 9), 0, 6); ";
  EXPECT_TRUE(is_sound(verdict_of(clipped + "target Clip(x, 0, 6);")));
  EXPECT_EQ(verdict_of(clipped + "target Clip(x, 0, 9);"), Verdict::Unsound);
}

TEST(LiteralTypes, AreThoseOfTheTensorsInATuple) {
  for (const char* dtype : {"int32", "uint8", "float16", "float32"}) {
    const std::string capped = of_type(dtype) + "source Min((Min((x, 9)), 6)); ";
    EXPECT_TRUE(is_sound(verdict_of(capped + "target Min((x, 6));"))) << dtype;
    EXPECT_TRUE(is_sound(verdict_of(capped + "target Min((6, x));"))) << dtype;
    EXPECT_EQ(verdict_of(capped + "target Min((x, 9));"), Verdict::Unsound) << dtype;
  }
  EXPECT_TRUE(is_sound(verdict_of(of_type("int32") + "let t = (x, 6); source Min((Min((x, 9)), 6)); target Min(t);")));
}

// An index is of int64 whatever it picks from, and so is an exponent, which has types of its own.
TEST(LiteralTypes, AreTheirOwnWhereTheOperatorTakesOthers) {
  const std::string picked = "let x = * {rank = 1, dtype = float32}; source Neg(Gather(x, 0) {axis = 0}); ";
  EXPECT_TRUE(is_sound(verdict_of(picked + "target Gather(Neg(x), 0) {axis = 0};")));
  EXPECT_NE(verdict_of(picked + "target Gather(Neg(x), 1) {axis = 0};"), Verdict::SoundExact);
  EXPECT_TRUE(is_sound(verdict_of("let x = * {rank = 1, dtype = float32}; source x * x; target Pow(x, 2);")));
}

}  // namespace
}  // namespace vouch
