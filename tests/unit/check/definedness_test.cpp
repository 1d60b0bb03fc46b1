// A target that is undefined, or illegal, for data that the source takes is no sound target, even where its value would not
// matter.
#include <gtest/gtest.h>

#include "check/check.h"
#include "rule_of.h"

namespace vouch {
namespace {

Verdict proven(const std::string& items) {
  CheckOptions options;
  options.instances.max_rank = 2;
  options.refute = false;  // the proof alone is on trial
  return check_rule(rule_of(items), options).verdict;
}

const std::string kVectors =
    "let x = * {rank = 1, dtype = \"float32\"}; let y = * {rank = 1, dtype = \"float32\"}; let s = Identity(x);\n";

const std::string kIndexed =
    "let x = * {rank = 1, dtype = \"float32\"}; let s = Identity(x); let k = * {rank = 1, dtype = int64}; let t = Identity(k);\n";

TEST(Definedness, ElementsAtPositionsThatAreDataMayLieOutside) {
  std::string y = "let y = * {shape = k.shape, dtype = \"float32\"}; let z = y * 0.0;";
  std::string gathered = "Gather(x, k) * 0.0";
  EXPECT_FALSE(is_sound(proven(kIndexed + y + "source (s, t, z); target (x, k, " + gathered + "); drop y;")));
  EXPECT_TRUE(is_sound(proven(kIndexed + "let z = " + gathered + "; source (s, t, z); target (x, k, " + gathered + ");")));
}

TEST(Definedness, TheGatheredTensorMattersToo) {
  std::string of = "Gather(Concat((x, x)) {axis = 0}, k) * 0.0";
  EXPECT_FALSE(is_sound(proven(kIndexed + "let z = " + of + "; source (s, t, z); target (x, k, Gather(x, k) * 0.0);")));
  EXPECT_TRUE(is_sound(proven(kIndexed + "let z = " + of + "; source (s, t, z); target (x, k, " + of + ");")));
}

TEST(Definedness, ConditionsOfChoicesAreComputedToo) {
  std::string same = "let x = * {rank = 1, dtype = \"float32\"}; let y = * {shape = x.shape, dtype = \"float32\"};\n";
  EXPECT_FALSE(is_sound(proven(same + "source x + y * 0.0; target Where(Greater(x / y, 0.0), x, x);")));
  EXPECT_TRUE(is_sound(proven(same + "source Where(Greater(x / y, 0.0), x, x); target x + y * 0.0;")));
  EXPECT_TRUE(is_sound(proven(same + "source Where(Greater(x / y, 0.0), x, y); target Where(Greater(x / y, 0.0), x, y);")));
}

// An integer divided by 0 ends a run. Divisors moved along axes are the same ones; those of more elements, or others, are not.
TEST(Definedness, IntegersAreDividedByWhatTheSourceDividesBy) {
  std::string integers = "let x = * {rank = 2, dtype = int32}; let k = * {shape = (x.shape[1], x.shape[0]), dtype = int32};\n";
  std::string moved = "Transpose(x) {perm = (1, 0)} / k";
  EXPECT_TRUE(
      is_sound(proven(integers + "source " + moved + "; target Transpose(x / Transpose(k) {perm = (1, 0)}) {perm = (1, 0)};")));
  std::string first = ", a, b, a)";
  std::string alike =
      "let a = const {value = (0,)}; let b = const {value = (1,)}; let x = * {rank = 2, dtype = int32}; let k = * {shape = "
      "x.shape, dtype = int32};\n";
  EXPECT_FALSE(is_sound(proven(alike + "source Slice(x" + first + " / Slice(k" + first + "; target Slice(x / k" + first + ";")));
  EXPECT_TRUE(is_sound(proven(alike + "source Slice(x / k" + first + "; target Slice(x" + first + " / Slice(k" + first + ";")));
}

// A position outside ends the run of the source, too, whose tensor has elements without value beside it: no counterexample.
TEST(Definedness, ThePositionIsOutsideWhateverHasAValueThere) {
  CheckOptions options;
  options.instances.max_rank = 2;
  std::string items = "let x = * {rank = 1, dtype = \"float32\"}; let k = * {rank = 1, dtype = int64};\n";
  EXPECT_EQ(
      check_rule(rule_of(items + "source Gather(Exp(Log(x)), k) {axis = 0}; target Gather(x, k) {axis = 0};"), options).verdict,
      Verdict::SoundReal);
}

// What such sizes are only the data decide, so nothing is shown of them.
TEST(Definedness, SizesThatAreData) {
  for (const char* call : {"Reshape", "Expand", "Tile"}) {
    std::string list = "let x = * {rank = 1, dtype = \"float32\"}; let y = * {shape = (1,), dtype = \"float32\"};\n";
    EXPECT_FALSE(is_sound(proven(list + "source x + ReduceSum(y) {keepdims = 0} * 0.0; target x + ReduceSum(" + call +
                                 "(x, Cast(y) {to = \"int64\"})) {keepdims = 0} * 0.0;")))
        << call;
  }
}

}  // namespace
}  // namespace vouch
