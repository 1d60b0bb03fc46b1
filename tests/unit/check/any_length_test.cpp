// Rules with any number of branches: right ones are proven for all numbers, wrong ones are not, whether or not anybody looks for
// a counterexample.
#include <gtest/gtest.h>

#include "check/check.h"
#include "rule_of.h"

namespace vouch {
namespace {

RuleVerdict verdict_on_lists(const std::string& items, bool refute) {
  CheckOptions options;
  options.refute = refute;
  return check_rule(rule_of(items), options);
}

struct ListCase {
  const char* name;
  std::string items;
};

std::string dense(const std::string& axis, const std::string& cuts, const std::string& item,
                  const std::string& weight = "branch[i].w") {
  return "let x = *; variadic branch[i] min 2 { let w = variable; yield dense(x, w); }\n"
         "let merged = dense(x, concatenate(variadic[i < branch.length] { " +
         weight + " }) {axis = " + axis +
         "});\n"
         "let parts = split(merged) {axis = -1, indices_or_sections = " +
         cuts +
         "};\n"
         "source branch; target variadic[i < branch.length] { " +
         item + " };";
}
const std::string kCuts = "tuple[j < branch.length - 1](sum[k <= j](branch[k].w.shape[0]))";

std::string product(const std::string& shape, const std::string& sizes) {
  return "let x = *; let w1 = variable; let first_product = MatMul(x, w1); where w1.rank == 2 and x.rank == 2;\n"
         "variadic branch[i] from first_product, w1 min 2 { let w = variable" +
         shape +
         "; yield MatMul(x, w); }\n"
         "source branch; let merged = MatMul(x, Concat(variadic[i < branch.length] { branch[i].w }) {axis = 1});\n"
         "let parts = Split(merged, const {value = tuple[j < branch.length](" +
         sizes +
         ")}) {axis = -1};\n"
         "target variadic[i < branch.length] { parts[i] };";
}

class Right : public testing::TestWithParam<ListCase> {};
class Wrong : public testing::TestWithParam<ListCase> {};

std::string list_case_name(const testing::TestParamInfo<ListCase>& info) { return info.param.name; }

TEST_P(Right, IsProvenForAnyNumber) {
  RuleVerdict found = verdict_on_lists(GetParam().items, true);
  EXPECT_TRUE(is_sound(found.verdict)) << verdict_name(found.verdict) << ": " << found.reason << "\n" << found.remainder;
}

TEST_P(Wrong, IsNotProven) {
  RuleVerdict found = verdict_on_lists(GetParam().items, false);
  EXPECT_FALSE(is_sound(found.verdict)) << "proven though wrong";
  EXPECT_TRUE(found.scopes.empty()) << "and it must not fire anywhere";
}

TEST_P(Wrong, IsRefuted) { EXPECT_TRUE(verdict_on_lists(GetParam().items, true).counterexample.has_value()); }

INSTANTIATE_TEST_SUITE_P(
    Rules, Right,
    testing::Values(
        ListCase{"Dense", dense("0", kCuts, "parts[i]")},
        ListCase{"Product", product(" {shape = (w1.shape[0], any)}", "branch[j].w.shape[1]")},
        ListCase{"ConcatOfNeg",
                 "variadic items[i] min 2 { let x = *; yield Neg(x); } let joined = Concat(items) {axis = any}; source joined;"
                 "target Neg(Concat(variadic[i < items.length] { items[i].x }) {axis = joined.axis});"},
        ListCase{"JoinedCallsOfTheTarget",
                 "variadic items[i] min 2 { let x = * {rank = 1}; yield Neg(x); } source Concat(items) {axis = 0};"
                 "target Concat(variadic[i < items.length] { Neg(items[i].x) }) {axis = 0};"},
        ListCase{
            "JoinedAsOften",
            "variadic items[i] min 2 { let x = * {rank = 1}; yield Concat((x, x)) {axis = 0}; } source Concat(items) {axis = 0};"
            "target Concat(variadic[i < items.length] { Tile(items[i].x, const {value = (2,)}) }) {axis = 0};"},
        ListCase{"JoinedOfTheLargerSize",
                 "let x = * {rank = 1, dtype = float32}; variadic items[i] min 2 { let y = * {rank = 1, dtype = float32}; yield "
                 "x * y; }"
                 "source Concat(items) {axis = 0};"
                 "target Concat(variadic[i < items.length] { items[i].y * x }) {axis = 0};"},
        ListCase{"EqualParts",
                 "let x = *; let w1 = variable; let c = dense(x, w1);"
                 "variadic branch[i] from c, w1 min 2 { let w = variable {shape = w1.shape}; yield dense(x, w); }"
                 "let merged = dense(x, concatenate(variadic[i < branch.length] { branch[i].w }) {axis = 0});"
                 "let parts = split(merged) {axis = -1, indices_or_sections = branch.length};"
                 "source branch; target variadic[i < branch.length] { parts[i] };"}),
    list_case_name);

INSTANTIATE_TEST_SUITE_P(
    Rules, Wrong,
    testing::Values(
        ListCase{"AnotherPiece", dense("0", kCuts, "parts[0]")},
        ListCase{"AnotherWeight", dense("0", kCuts, "parts[i]", "branch[0].w")},
        ListCase{"PointsTooEarly", dense("0", "tuple[j < branch.length - 1](sum[k < j](branch[k].w.shape[0]))", "parts[i]")},
        ListCase{"PointsOfTheFirst", dense("0", "tuple[j < branch.length - 1]((j + 1) * branch[0].w.shape[0])", "parts[i]")},
        ListCase{"EqualPartsOfUnequal", dense("0", "branch.length", "parts[i]")},
        ListCase{"SizesOfTheFirst", product(" {shape = (w1.shape[0], any)}", "w1.shape[1]")},
        ListCase{"SizesOfRows", product(" {shape = (w1.shape[0], any)}", "branch[j].w.shape[0]")},
        ListCase{"AnyRank", product("", "branch[j].w.shape[1]")},
        ListCase{
            "BranchesOfTwoKinds",
            "variadic items[i] min 2 { let x = *; yield first(Relu(x), Neg(x)); } let joined = Concat(items) {axis = 0}; source "
            "joined;"
            "target Relu(Concat(variadic[i < items.length] { items[i].x }) {axis = 0});"},
        ListCase{
            "OtherAxis",
            "variadic items[i] min 2 { let x = * {rank = 2}; yield Relu(x); } let joined = Concat(items) {axis = any}; source "
            "joined;"
            "target Relu(Concat(variadic[i < items.length] { items[i].x }) {axis = 0});"},
        ListCase{"FirstOfAnotherForm",
                 "let x = *; let a = Relu(x); variadic calls[i] from a min 2 { yield Neg(x); } source calls;"
                 "target variadic[i < calls.length] { Relu(x) };"}),
    list_case_name);

}  // namespace
}  // namespace vouch
