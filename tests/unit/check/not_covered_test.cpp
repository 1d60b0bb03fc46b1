// Where terms cannot express what a source demands, matches may exist that no instance stands for: such rules are not sound.
#include <gtest/gtest.h>

#include "check/check.h"
#include "verdict_of.h"

namespace vouch {
namespace {

struct UncoveredCase {
  const char* name;
  const char* items;
  const char* reason;
};

class NotCovered : public testing::TestWithParam<UncoveredCase> {};

// Each rule is right wherever the symbolic evaluator has values, and would be called sound if the rest were taken for no match.
TEST_P(NotCovered, IsUnknown) {
  RuleVerdict found = whole_verdict_of(GetParam().items);
  EXPECT_EQ(found.verdict, Verdict::Unknown) << found.reason;
  EXPECT_NE(found.reason.find(GetParam().reason), std::string::npos) << found.reason;
  EXPECT_TRUE(found.scopes.empty()) << "and it must not fire anywhere";
}

INSTANTIATE_TEST_SUITE_P(
    Rules, NotCovered,
    testing::Values(
        UncoveredCase{"Steps",
                      "let x = *; let y = first(Softmax(x) {axis = sum[k < x.shape[0]](1)}, Relu(x)); source y; target Relu(x);",
                      "number of steps"},
        UncoveredCase{"Position",
                      "let x = *; let y = first(Softmax(x) {axis = x.shape[x.shape[0]]}, Relu(x)); source y; target Relu(x);",
                      "position in a tuple"},
        UncoveredCase{"Root",
                      "let x = *; let y = first(Softmax(x) {axis = floor(sqrt(x.shape[0]))}, Relu(x)); source y; target Relu(x);",
                      "square root"},
        UncoveredCase{"NumberOfResults",
                      "let x = * {rank = 1}; let s = Split(x) {num_outputs = any}; where s.num_outputs == 5;\n"
                      "source s[0]; target s[1];",
                      "results to 4"},
        UncoveredCase{"LengthOfAConstant",
                      "let x = * {dtype = float32}; let c = const {value = any, rank = 1}; where len(c.value) == 9;\n"
                      "source x + c; target x - c;",
                      "read lists to 6"},
        UncoveredCase{"NumberOfBranches",
                      "variadic p[i] { let y = * {rank = 1, dtype = float32}; yield Relu(y); } where p.length == 7;\n"
                      "source Concat(p) {axis = 0}; target Concat(variadic[i < p.length] { p[i].y }) {axis = 0};",
                      "branches"},
        UncoveredCase{"SizesThatDecide",
                      "let x = *; where x.rank == 2 and x.shape[0] == 1; source Squeeze(x); target Relu(Squeeze(Relu(x)));",
                      "the sizes must be known"}),
    [](const auto& given) { return std::string(given.param.name); });

TEST(Covered, ConditionsThatDecideBeforeTheyNeedAPosition) {
  EXPECT_EQ(
      whole_verdict_of(
          "let x = *; let parts = split(x); where len(parts.indices_or_sections) == 1 and parts.indices_or_sections[0] >= 0;\n"
          "source parts; target parts;")
          .verdict,
      Verdict::SoundExact);
}

TEST(Covered, AnyTupleOfPositions) {
  std::string source = "let x = *; let p = split(x) {indices_or_sections = tuple[k](any)}; source p;";
  EXPECT_EQ(whole_verdict_of(source + " target split(x) {axis, indices_or_sections as p};").verdict, Verdict::SoundExact);
  EXPECT_TRUE(whole_verdict_of(source + " target split(x) {indices_or_sections as p};").counterexample.has_value())
      << "the axis differs";
}

}  // namespace
}  // namespace vouch
