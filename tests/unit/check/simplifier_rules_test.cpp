// Laws that compilers' simplifiers live by, each beside a neighbour that is not one.
#include <gtest/gtest.h>

#include "check/check.h"
#include "rule_of.h"

namespace vouch {
namespace {

struct Law {
  const char* name;
  const char* true_one;
  const char* false_one;
};

class SimplifierRules : public ::testing::TestWithParam<Law> {};

TEST_P(SimplifierRules, AreProvenAndTheirNeighboursAreNot) {
  CheckOptions options;
  options.instances.max_rank = 3;
  RuleVerdict proven = check_rule(rule_of(GetParam().true_one), options);
  EXPECT_TRUE(is_sound(proven.verdict)) << proven.reason;
  EXPECT_FALSE(is_sound(check_rule(rule_of(GetParam().false_one), options).verdict));
}

const Law kLaws[] = {
    {"ASliceOfAllIsTheTensor",
     "let a = *; let s = slice(a) {starts = any, limits = any, strides = any};\n"
     "where all[k < a.rank](s.starts[k] == 0 and s.limits[k] == a.shape[k] and s.strides[k] == 1); source s; target a;",
     "let a = *; let s = slice(a) {starts = any, limits = any, strides = any};\n"
     "where all[k < a.rank](s.starts[k] == 0 and s.limits[k] == a.shape[k]); source s; target a;"},
    {"APadOfNothingIsTheTensor",
     "let a = *; let v = * {rank = 0}; drop v; let p = pad(a, v) {low = any, high = any, interior = any};\n"
     "where all[k < a.rank](p.low[k] == 0 and p.high[k] == 0 and p.interior[k] == 0); source p; target a;",
     "let a = *; let v = * {rank = 0}; drop v; let p = pad(a, v) {low = any, high = any, interior = any};\n"
     "where all[k < a.rank](p.low[k] + p.high[k] == 0 and p.interior[k] == 0); source p; target a;"},
    {"TheLargestOfOneIsIt",
     "let x = * {rank = 1, dtype = float32}; where x.shape[0] == 1; source reduce_max(x) {axes = (0,), keepdims = 1}; target x;",
     "let x = * {rank = 1, dtype = float32}; source reduce_max(x) {axes = (0,), keepdims = 1}; target x;"},
    {"QuotientsOfQuotients",
     "let a = * {dtype = float32}; let b = * {shape = a.shape}; let c = * {shape = a.shape}; let d = * {shape = a.shape};\n"
     "source (a / b) / (c / d); target (a * d) / (b * c);",
     "let a = * {dtype = float32}; let b = * {shape = a.shape}; let c = * {shape = a.shape}; let d = * {shape = a.shape};\n"
     "source (a * d) / (b * c); target (a / b) / (c / d);"},
    {"TheRemainderOfARemainder",
     "let a = * {dtype = int64}; let b = * {shape = a.shape, dtype = int64};\n"
     "source Mod(Mod(a, b) {fmod = 1}, b) {fmod = 1}; target Mod(a, b) {fmod = 1};",
     "let a = * {dtype = int64}; let b = * {shape = a.shape, dtype = int64};\n"
     "source Mod(Mod(a, b) {fmod = 0}, b) {fmod = 1}; target Mod(a, b) {fmod = 1};"},
    {"ASliceOfWhatWasSpread",
     "let a = * {rank = 1}; let b = broadcast_in_dim(a) {shape = (any, any), broadcast_dimensions = (0,)};\n"
     "let s = slice(b) {starts = (0, any), limits = (a.shape[0], any), strides = (1, any)}; where b.shape[0] == a.shape[0];\n"
     "source s; target broadcast_in_dim(a) {shape = (a.shape[0], (s.limits[1] - s.starts[1] + s.strides[1] - 1) // "
     "s.strides[1]),\n"
     "broadcast_dimensions = (0,)};",
     "let a = * {rank = 1}; let b = broadcast_in_dim(a) {shape = (any, any), broadcast_dimensions = (0,)};\n"
     "let s = slice(b) {starts = (0, any), limits = (a.shape[0], any), strides = (1, any)}; where b.shape[0] == a.shape[0];\n"
     "source s; target broadcast_in_dim(a) {shape = (a.shape[0], (s.limits[1] - s.starts[1]) // s.strides[1]),\n"
     "broadcast_dimensions = (0,)};"},
};

INSTANTIATE_TEST_SUITE_P(Laws, SimplifierRules, ::testing::ValuesIn(kLaws),
                         [](const ::testing::TestParamInfo<Law>& law) { return std::string(law.param.name); });

}  // namespace
}  // namespace vouch
