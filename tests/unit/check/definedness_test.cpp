// A target that is undefined, or illegal, for data that the source takes is no sound target, even where its value would not
// matter.
#include <gtest/gtest.h>

#include "check/check.h"
#include "rule_of.h"

namespace vouch {
namespace {

Verdict verdict(const std::string& items) {
  CheckOptions options;
  options.instances.max_rank = 2;
  options.refute = false;  // the proof alone is on trial
  return check_rule(rule_of(items), options).verdict;
}

const std::string kVectors =
    "let x = * {rank = 1, dtype = \"float32\"}; let y = * {rank = 1, dtype = \"float32\"}; let s = Identity(x);\n";

TEST(Definedness, ElementsAtPositionsThatAreDataMayLieOutside) {
  std::string gathered = "Gather(x, Cast(y) {to = \"int64\"})";
  EXPECT_FALSE(is_sound(verdict(kVectors + "let z = y * 0.0; source (s, z); target (x, " + gathered + " * 0.0);")));
  EXPECT_TRUE(is_sound(verdict(kVectors + "let z = " + gathered + " * 0.0; source (s, z); target (x, " + gathered + " * 0.0);")));
}

TEST(Definedness, TheGatheredTensorMattersToo) {
  std::string of = "Gather(Concat((x, x)) {axis = 0}, Cast(y) {to = \"int64\"}) * 0.0";
  EXPECT_FALSE(
      is_sound(verdict(kVectors + "let z = " + of + "; source (s, z); target (x, Gather(x, Cast(y) {to = \"int64\"}) * 0.0);")));
}

TEST(Definedness, ConditionsOfChoicesAreComputedToo) {
  std::string same = "let x = * {rank = 1, dtype = \"float32\"}; let y = * {shape = x.shape, dtype = \"float32\"};\n";
  EXPECT_FALSE(is_sound(verdict(same + "source x + y * 0.0; target Where(Greater(x / y, 0.0), x, x);")));
  EXPECT_TRUE(is_sound(verdict(same + "source Where(Greater(x / y, 0.0), x, x); target x + y * 0.0;")));
  EXPECT_TRUE(is_sound(verdict(same + "source Where(Greater(x / y, 0.0), x, y); target Where(Greater(x / y, 0.0), x, y);")));
}

// What such sizes are only the data decide, so nothing is shown of them.
TEST(Definedness, SizesThatAreData) {
  for (const char* call : {"Reshape", "Expand", "Tile"}) {
    std::string list = "let x = * {rank = 1, dtype = \"float32\"}; let y = * {shape = (1,), dtype = \"float32\"};\n";
    EXPECT_FALSE(is_sound(verdict(list + "source x + ReduceSum(y) {keepdims = 0} * 0.0; target x + ReduceSum(" + call +
                                  "(x, Cast(y) {to = \"int64\"})) {keepdims = 0} * 0.0;")))
        << call;
  }
}

}  // namespace
}  // namespace vouch
