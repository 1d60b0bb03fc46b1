// What is compared with a maximum moves inside of it, unless it may be the maximum of nothing.
#include <gtest/gtest.h>

#include "check/check.h"
#include "rule_of.h"

namespace vouch {
namespace {

bool is_proven(const std::string& items) {
  CheckOptions options;
  options.instances.max_rank = 3;
  options.refute = false;
  return is_sound(check_rule(rule_of(items), options).verdict);
}

TEST(Extremum, OfAWholeAxisHasAValue) {
  std::string x = "let x = * {rank = 2, dtype = \"float32\"};\n";
  EXPECT_TRUE(is_proven(x + "let m = ReduceMax(Relu(x)); source m; target Relu(ReduceMax(x) {* as m});"));
  EXPECT_FALSE(
      is_proven(x + "let m = ReduceMax(Relu(x)); source m; target Relu(ReduceMin(x) {keepdims, noop_with_empty_axes as m});"));
  EXPECT_FALSE(is_proven(x + "let m = ReduceMax(Relu(x)); source m; target ReduceMax(x) {* as m};"));
}

TEST(Extremum, OfASliceHasAValueSinceNoneIsIllegal) {
  std::string part = "let x = * {rank = 1, dtype = \"float32\"}; let s = slice(x) {strides = (1,)};\n";
  EXPECT_TRUE(is_proven(part + "let m = ReduceMax(Relu(s)); source m; target Relu(ReduceMax(s) {* as m});"));
}

TEST(Extremum, OfAWindowHasAValueWherePadsAreSmallerThanIt) {
  std::string x = "let x = * {rank = 3, dtype = \"float32\"};\nlet p = MaxPool(Relu(x)) {auto_pad = \"NOTSET\"};\n";
  EXPECT_TRUE(is_proven(x + "source p; target Relu(MaxPool(x) {* as p});"));
  EXPECT_FALSE(is_proven(x + "source p; target Relu(MaxPool(x) {dilations = (1,), * as p});"));
}

}  // namespace
}  // namespace vouch
