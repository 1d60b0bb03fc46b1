// Counterexamples are as small as they can be.
#include "refute/shrink.h"

#include <gtest/gtest.h>

#include "../check/rule_of.h"

namespace vouch {
namespace {

// Axis 1 of a matrix is the last one, of the sum with three axes the middle one. The target is legal only if the matrix is
// square, so that three sizes, of which equations tie two, become smaller together or not at all. With sizes of 1 both sides
// agree.
TEST(Shrink, SizesThatOnlyTheTargetTiesTogether) {
  Refutation result =
      refute_rule(rule_of("let x1 = *; let b1 = *; let x2 = *; let b2 = *;\n"
                          "source bias_add(x1, b1) {axis = 1} + bias_add(x2, b2) {axis = 1};\n"
                          "target bias_add(x1 + x2, b1 + b2) {axis = 1};"));
  ASSERT_TRUE(result.counterexample);
  EXPECT_EQ(result.counterexample->failing, Failing::Differs);
  for (const auto& [name, value] : result.counterexample->symbols) {
    EXPECT_LE(value, 2) << name;
  }
}

}  // namespace
}  // namespace vouch
