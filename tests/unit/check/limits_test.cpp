// Rules whose proofs grow with the square of what an element is made of: each is given up by a limit that the reason names.
#include <gtest/gtest.h>

#include "verdict_of.h"

namespace vouch {
namespace {

const char* const kTwoResizes =
    "let x = * {rank = 2, dtype = float32}; let s = const {value = (2, 2), dtype = float32};\n"
    "let a = Resize(x, _, s) {mode = \"linear\", coordinate_transformation_mode = \"half_pixel\", nearest_mode = _, antialias = "
    "0, "
    "exclude_outside = 0, keep_aspect_ratio_policy = \"stretch\", extrapolation_value = 0, cubic_coeff_a = -0.75, axes = _};\n"
    "let r = Resize(a, _, s) {* as a};\n";

RuleVerdict proven_of(const std::string& items) {
  CheckOptions alone;
  alone.refute = false;
  return check_rule(rule_of(items), alone);
}

// It is true: an interpolation of each axis is what its transpose has on the other one.
TEST(Limits, EndAProofOfVeryManySummands) {
  RuleVerdict turned = proven_of(std::string(kTwoResizes) +
                                 "source Transpose(r) {perm = (1, 0)}; "
                                 "target Resize(Resize(Transpose(x) {perm = (1, 0)}, _, s) {* as a}, _, s) {* as a};");
  EXPECT_EQ(turned.verdict, Verdict::Unknown);
  EXPECT_NE(turned.reason.find("questions about integers"), std::string::npos) << turned.reason;
}

// One after the other along two axes, in either order: few summands.
TEST(Limits, AreFarFromWhatIsProven) {
  const std::string one =
      "let x = * {rank = 2, dtype = float32}; let s = const {value = (2, 1), dtype = float32}; "
      "let t = const {value = (1, 2), dtype = float32}; let a = Resize(x, _, s) {mode = \"linear\", "
      "coordinate_transformation_mode = \"half_pixel\", nearest_mode = _, antialias = 0, exclude_outside = 0, "
      "keep_aspect_ratio_policy = \"stretch\", extrapolation_value = 0, cubic_coeff_a = -0.75, axes = _};";
  RuleVerdict apart = proven_of(one + "source Resize(a, _, t) {* as a}; target Resize(Resize(x, _, t) {* as a}, _, s) {* as a};");
  EXPECT_TRUE(is_sound(apart.verdict)) << apart.reason;
}

}  // namespace
}  // namespace vouch
