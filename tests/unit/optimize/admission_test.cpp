// The gate looks at the few words of a match that a rule's scopes speak of, and remembers what it answered for them. Here what it
// says at thousands of matches is compared with a gate that was asked of nothing before, and so compares the scopes themselves.
#include "rewrite/admission.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "../graph/added_call.h"
#include "../rule/rules_of.h"
#include "check/check.h"
#include "graph/op_table.h"
#include "rewrite/scope_match.h"

namespace vouch {
namespace {

const char* const kRules = R"gsl(
rule gemm {
  let x = *;
  let a = *;
  let b = *;
  where x.rank == 2 and a.rank == 2 and b.rank == 2;
  where b.shape[0] == x.shape[0] and b.shape[1] == a.shape[1];
  source MatMul(x, a) + b;
  target Gemm(x, a, b);
}
rule relu_relu { let x = *; source Relu(Relu(x)); target Relu(x); }
rule cast_away { let x = *; let c = Cast(x) {to = any}; where c.dtype == x.dtype; source Relu(c); target Relu(x); }
rule last { let x = *; source Softmax(Identity(x)) {axis = _}; target Softmax(x) {axis = x.rank - 1}; }
rule two_transposes {
  let x = *;
  let inner = Transpose(x) {perm = any};
  let outer = Transpose(inner) {perm = any};
  source outer;
  target Transpose(x) {perm = permute(inner.perm, outer.perm)};
}
rule add_constants { let x = *; let a = const {value = any}; source Neg(x + a); target Neg(x) - a; }
rule gelu { let x = *; let g = Gelu(x) {approximate = any}; source Neg(Neg(g)); target g; }
rule permuted { let x = *; let t = Transpose(x) {perm = any}; source Neg(t); target Transpose(Neg(x)) {perm = t.perm}; }
)gsl";

class Sites {
 public:
  explicit Sites(std::uint32_t seed) : random_(seed) {}

  // A place for the rule of this number; kNoNode where what was drawn has no type.
  NodeId add(std::size_t rule) {
    switch (rule) {
      case 0: return gemm();
      case 1: return call("Relu", {call("Relu", {input()})});
      case 2: return call("Relu", {call("Cast", {input()}, {{Symbol("to"), AttrValue(std::string(dtype_name(dtype())))}})});
      case 3: return call("Softmax", {call("Identity", {input()})}, axis());
      case 4: return call("Transpose", {call("Transpose", {input()}, perm())}, perm());
      case 5: return call("Neg", {call("Add", {input(), constant()})});
      case 6: return call("Neg", {call("Neg", {call("Gelu", {input()}, approximate())})});
      default: return call("Neg", {call("Transpose", {input()}, perm())});
    }
  }
  Graph graph;

 private:
  using Entries = std::vector<AttrDict::Entry>;

  int pick(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }
  DType dtype() {
    constexpr std::array kTypes{DType::Float32, DType::Float64, DType::Float16, DType::Int32, DType::Int64, DType::UInt8};
    return kTypes[static_cast<std::size_t>(pick(static_cast<int>(kTypes.size())))];
  }
  NodeId typed(DType dtype, const Extents& extents) {
    return graph.add_input("x" + std::to_string(graph.id_limit()), Type::tensor(dtype, extents));
  }
  NodeId input() {
    rank_ = pick(4);
    dtype_ = dtype();
    Extents extents;
    for (int k = 0; k < rank_; ++k) {
      extents.push_back(1 + pick(3));
    }
    return typed(dtype_, extents);
  }
  NodeId constant() {
    Tensor value(dtype_, {});
    is_float(dtype_) ? value.set_double(0, pick(3)) : value.set_int(0, pick(3));
    return graph.add_constant(value);
  }
  NodeId gemm() {
    DType one = dtype();
    std::int64_t m = 1 + pick(2);
    std::int64_t n = 1 + pick(2);
    NodeId product = call("MatMul", {typed(one, {m, 2}), typed(one, {2, n})});
    return call("Add", {product, typed(one, {m, n})});
  }
  Entries axis() { return pick(3) == 0 ? Entries() : Entries{{Symbol("axis"), AttrValue(std::int64_t{pick(4) - 2})}}; }
  Entries approximate() {
    return pick(3) == 0 ? Entries() : Entries{{Symbol("approximate"), AttrValue(std::string(pick(2) == 0 ? "none" : "tanh"))}};
  }
  Entries perm() {
    std::vector<std::int64_t> list(static_cast<std::size_t>(rank_));
    std::iota(list.begin(), list.end(), 0);
    std::shuffle(list.begin(), list.end(), random_);
    return pick(4) == 0 ? Entries() : Entries{{Symbol("perm"), AttrValue::of_ints(list)}};
  }
  NodeId call(const char* op, const std::vector<NodeId>& operands, const Entries& attributes = {}) {
    if (std::find(operands.begin(), operands.end(), kNoNode) != operands.end()) {
      return kNoNode;
    }
    Diagnostics ill_typed;
    return graph.add_call(*find_op(op), operands, AttrDict(attributes), ill_typed);
  }

  std::mt19937 random_;
  int rank_ = 0;
  DType dtype_ = DType::Float32;
};

// Of every second scope alone: so some of the matches are not covered.
std::vector<Scope> some_scopes(const Rule& rule, std::size_t which) {
  std::vector<Scope> out;
  std::vector<Scope> all = check_rule(rule, {}).scopes;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (which == 2 || k % 2 == which) {
      out.push_back(all[k]);
    }
  }
  return out;
}

// Types alone rule out no scope that covers the match.
void expect_types_allow_what_covers(const Graph& graph, const RulePlan& plan, const Match& match,
                                    const std::vector<Scope>& scopes) {
  FoundNodes found(plan, match);
  ScopeMatch compared(graph, plan, match, found);
  for (const Scope& scope : scopes) {
    EXPECT_TRUE(!compared.covers(scope) || compared.may_cover(scope)) << plan.rule->name;
  }
}

struct Count {
  int admitted = 0;
  int refused = 0;
};

void compare(const Rule& rule, std::size_t number, const std::vector<Scope>& scopes, Count& count) {
  RulePlan plan = plan_rule(rule);
  Admission remembers = Admission::by_scopes(std::make_shared<const std::vector<Scope>>(scopes), "nothing is proven");
  Sites sites(static_cast<std::uint32_t>(number + 1));
  for (int round = 0; round < 150; ++round) {
    NodeId node = sites.add(number);
    const Graph& graph = sites.graph;
    Matcher matcher(graph);
    const Match* match = node == kNoNode ? nullptr : matcher.match_at(plan, node);
    if (match == nullptr) {
      continue;
    }
    Admission fresh = Admission::by_scopes(std::make_shared<const std::vector<Scope>>(scopes), "nothing is proven");
    auto said = remembers.admit(graph, plan, *match);
    auto found = fresh.admit(graph, plan, *match);
    ASSERT_EQ(said.has_value(), found.has_value()) << rule.name << ", round " << round;
    expect_types_allow_what_covers(graph, plan, *match, scopes);
    if (said) {
      EXPECT_EQ(said->proven(), found->proven()) << rule.name;
      ++count.admitted;
    } else {
      EXPECT_EQ(remembers.why_not(graph, plan, *match), fresh.why_not(graph, plan, *match)) << rule.name;
      ++count.refused;
    }
  }
}

TEST(Admission, WhatIsRememberedIsWhatTheScopesSay) {
  std::vector<Rule> rules = rules_of(kRules);
  ASSERT_EQ(rules.size(), 8U);
  for (std::size_t number = 0; number < rules.size(); ++number) {
    Count count;
    for (std::size_t which : {0U, 1U, 2U}) {
      compare(rules[number], number, some_scopes(rules[number], which), count);
    }
    EXPECT_GT(count.admitted, 10) << rules[number].name;
    EXPECT_GT(count.refused, 10) << rules[number].name;
  }
}

// What is asked of a graph's sizes is answered by what its own calls assume: another graph may have the same sizes, and not the
// calls.
TEST(Admission, WhatIsRememberedOfSizesIsOfOneGraph) {
  std::vector<Rule> rules = rules_of("rule neg_neg { let x = * {rank = 3}; source Neg(Neg(x)); target x; }");
  RulePlan plan = plan_rule(rules[0]);
  std::vector<Scope> scopes = check_rule(rules[0], {}).scopes;
  ASSERT_FALSE(scopes.empty());
  for (Scope& scope : scopes) {
    auto input =
        std::find_if(scope.nodes.begin(), scope.nodes.end(), [](const ScopeNode& n) { return n.kind == ScopeNode::Kind::Input; });
    ASSERT_NE(input, scope.nodes.end());
    scope.conditions.push_back(ge(input->types.at(0).extents.at(2), 4));
  }
  auto site = [](bool pooled, Graph& graph) {
    NodeId x = graph.add_input("x", Type::tensor(DType::Float32, std::vector<Term>{1, 1, int_var("n")}));
    if (pooled) {
      added_call(graph, "MaxPool", {x}, AttrDict({{Symbol("kernel_shape"), AttrValue::of_ints(std::vector<std::int64_t>{4})}}));
    }
    return added_call(graph, "Neg", {added_call(graph, "Neg", {x})});
  };
  for (bool pooled_first : {true, false}) {
    Admission remembers = Admission::by_scopes(std::make_shared<const std::vector<Scope>>(scopes), "nothing is proven");
    for (bool pooled : {pooled_first, !pooled_first, pooled_first}) {
      Graph graph;
      NodeId outer = site(pooled, graph);
      ASSERT_EQ(graph.conditions().empty(), !pooled);
      Matcher matcher(graph);
      const Match* match = matcher.match_at(plan, outer);
      ASSERT_NE(match, nullptr);
      EXPECT_EQ(remembers.admit(graph, plan, *match).has_value(), pooled);
    }
  }
}

TEST(Admission, NothingIsSaidOfWhatMayFire) {
  std::vector<Rule> rules = rules_of("rule neg_neg { let x = *; source Neg(Neg(x)); target x; }");
  RulePlan plan = plan_rule(rules[0]);
  Graph graph;
  NodeId x = graph.add_input("x", Type::tensor(DType::Float32, Extents{2}));
  NodeId outer = added_call(graph, "Neg", {added_call(graph, "Neg", {x})});
  Matcher matcher(graph);
  const Match* match = matcher.match_at(plan, outer);
  ASSERT_NE(match, nullptr);
  Admission nothing = Admission::by_scopes(nullptr, "its verdict is unknown");
  EXPECT_FALSE(nothing.admit(graph, plan, *match));
  EXPECT_EQ(nothing.why_not(graph, plan, *match), "its verdict is unknown");
  Admission everywhere = Admission::unproven();
  EXPECT_TRUE(everywhere.admit(graph, plan, *match));
  EXPECT_EQ(everywhere.why_not(graph, plan, *match), "");
}

}  // namespace
}  // namespace vouch
