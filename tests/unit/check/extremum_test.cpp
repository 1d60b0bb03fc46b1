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
  EXPECT_TRUE(is_proven(x + "source ReduceMax(Relu(x)); target Relu(ReduceMax(x));"));
  EXPECT_FALSE(is_proven(x + "source ReduceMin(Relu(x)); target Relu(ReduceMax(x));"));
  EXPECT_FALSE(is_proven(x + "source ReduceMax(Relu(x)); target ReduceMax(x);"));
}

TEST(Extremum, OfASliceMayHaveNone) {
  std::string part = "let x = * {rank = 1, dtype = \"float32\"}; let s = slice(x) {strides = (1,)};\n";
  std::string rule = "source ReduceMax(Relu(s)) {keepdims = 1}; target Relu(ReduceMax(s) {keepdims = 1});";
  EXPECT_TRUE(is_proven(part + "where s.limits[0] > s.starts[0]; " + rule));
  EXPECT_FALSE(is_proven(part + rule)) << "the largest of no elements is below 0";
}

TEST(Extremum, OfAWindowHasAValueWherePadsAreSmallerThanIt) {
  std::string x = "let x = * {rank = 3, dtype = \"float32\"};\nlet p = MaxPool(Relu(x)) {auto_pad = \"NOTSET\", ceil_mode = 0};\n";
  EXPECT_TRUE(is_proven(x + "source p; target Relu(MaxPool(x) {* as p});"));
  EXPECT_FALSE(is_proven(x + "source p; target Relu(MaxPool(x) {dilations = (1,), * as p});"));
}

}  // namespace
}  // namespace vouch
