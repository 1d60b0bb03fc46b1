// What is kept of a proof is what was proven: scopes come back from their bytes as they went, and bytes that end early or go on
// are no scopes.
#include "rule/scope_bytes.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "../rule/rules_of.h"
#include "check/check.h"
#include "graph/op_table.h"
#include "io/file.h"

namespace vouch {
namespace {

// Shipped rules whose scopes have attributes, elements, fills, lists, instances, types that stand for others.
std::vector<Rule> rules_with_scopes() {
  const std::set<std::string> chosen{"transpose_transpose", "concat_of_relu", "squeeze_away",
                                     "where_true",          "not_not",        "sum_of_one"};
  std::vector<Rule> out;
  for (const char* file : {"shape", "joining", "noop"}) {
    Diagnostics diagnostics;
    std::string path = std::string(VOUCH_ROOT "/rules/") + file + ".gsl";
    for (Rule& rule : rules_of(read_file(path, diagnostics).value_or(""))) {
      if (chosen.contains(rule.name)) {
        out.push_back(std::move(rule));
      }
    }
  }
  EXPECT_EQ(out.size(), chosen.size());
  return out;
}

TEST(ScopeBytes, ScopesComeBackAsTheyWent) {
  for (const Rule& rule : rules_with_scopes()) {
    std::vector<Scope> scopes = check_rule(rule, {}).scopes;
    ASSERT_FALSE(scopes.empty()) << rule.name;
    auto read = read_scope_bytes(scope_bytes(scopes));
    ASSERT_TRUE(read.has_value()) << rule.name;
    EXPECT_TRUE(*read == scopes) << rule.name;
  }
}

// Numbers at the ends of their types, and each member away from what it is by itself.
TEST(ScopeBytes, EveryMemberIsKept) {
  ScopeNode node;
  node.position = 7;
  node.branch = ScopeNode::kEveryBranch;
  node.kind = ScopeNode::Kind::Call;
  node.types = {{DType::Bool, {Term(1), int_var("n")}}, {DType::Int8, {}}};
  node.elements = std::vector<Term>{Term(-1), int_var("n")};
  node.fill = Term(3);
  node.axes_of_rank = 0;
  node.any_order = true;
  node.list_element = int_var("e");
  node.list_index = Symbol("k");
  node.op = *find_op("Relu");
  AttrTuple items{AttrValue(std::int64_t{2}), AttrValue(std::string("text")), AttrValue(AttrTuple{})};
  node.attributes = {{Symbol("a"), ScopeAttribute::Kind::Axes, AttrValue(items), 4}};
  node.count = 9;
  node.length = int_var("l");
  node.index = Symbol("i");
  Scope scope;
  scope.proven = Verdict::SoundReal;
  scope.stands_for = {{DType::Float32, kFloats}};
  scope.axis_by_axis = true;
  scope.distinct_types = true;
  scope.nodes = {node, node};
  scope.bounds = {{Symbol("n"), std::numeric_limits<std::int64_t>::min()}};
  scope.ranges = {{Symbol("k"), int_var("l"), -1}};
  scope.conditions = {int_var("n")};
  std::string bytes = scope_bytes({scope, scope});
  auto read = read_scope_bytes(bytes);
  ASSERT_TRUE(read.has_value());
  EXPECT_TRUE(*read == (std::vector<Scope>{scope, scope}));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(read_scope_bytes(std::string_view(bytes).substr(0, size)).has_value()) << size;
  }
  EXPECT_FALSE(read_scope_bytes(bytes + "x").has_value());
}

}  // namespace
}  // namespace vouch
