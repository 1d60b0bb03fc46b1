// `{axis = _}`: an attribute that is not given, or says what its absence means.
#include "site.h"

namespace vouch {
namespace {

AttrDict perm(const std::vector<std::int64_t>& list) { return AttrDict({{Symbol("perm"), AttrValue::of_ints(list)}}); }
AttrDict axis(std::int64_t number) { return AttrDict({{Symbol("axis"), AttrValue(number)}}); }

const char* const kLast =
    "rule last { let x = *; source Softmax(Identity(x)) {axis = _}; target Softmax(x) {axis = x.rank - 1}; }";

TEST(Absence, FiresWhereNothingIsGivenOrTheDefault) {
  for (const AttrDict& given : {AttrDict(), axis(-1)}) {
    Site site;
    NodeId x = site.call("Identity", {site.input({2, 3})});
    EXPECT_EQ(site.fires(kLast, site.call("Softmax", {x}, given)), 1U) << site.reason;
  }
  for (std::int64_t other : {0, 1}) {
    Site site;
    NodeId x = site.call("Identity", {site.input({2, 3})});
    EXPECT_EQ(site.fires(kLast, site.call("Softmax", {x}, axis(other))), 0U);
  }
}

// A target leaves out what the call that it copies from gives.
TEST(Absence, OfATargetTakesTheAttributeAway) {
  const char* const rule =
      "rule reversed { let x = * {rank = 2}; let t = Transpose(x) {perm = (1, 0)}; source Relu(t); "
      "target Transpose(Relu(x)) {perm = _, * as t}; }";
  Site site;
  NodeId y = site.call("Relu", {site.call("Transpose", {site.input({2, 3})}, perm({1, 0}))});
  site.graph.add_output("y", y);
  std::vector<Rule> rules = rules_of(rule);
  Gate gate(rules, false);
  ASSERT_EQ(rewrite(site.graph, rules, {.admissions = gate.admissions()}).steps, 1U);
  NodeId made = site.graph.outputs()[0].node;
  EXPECT_EQ(op_def(site.graph.op(made)).name, "Transpose");
  EXPECT_TRUE(site.graph.attributes(made).entries().empty());
}

TEST(Absence, OfAListIsProvenForItself) {
  const char* const rule =
      "rule reversed { let x = * {rank = 2}; source Relu(Transpose(x) {perm = _}); target Transpose(Relu(x)); }";
  Site absent;
  EXPECT_EQ(absent.fires(rule, absent.call("Relu", {absent.call("Transpose", {absent.input({2, 3})})})), 1U) << absent.reason;
  Site given;
  EXPECT_EQ(given.fires(rule, given.call("Relu", {given.call("Transpose", {given.input({2, 3})}, perm({0, 1}))})), 0U);
}

}  // namespace
}  // namespace vouch
