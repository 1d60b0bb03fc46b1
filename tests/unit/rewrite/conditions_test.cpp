// The matcher remembers what conditions were at the words of a match that they ask for. Here what one matcher finds at many sites
// is compared with one that was asked of nothing before, and so evaluates each condition.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "../graph/added_call.h"
#include "../rule/rules_of.h"
#include "rewrite/match.h"

namespace vouch {
namespace {

// Sites of every rule, each beside one that differs from it in one thing that the rule's condition asks for.
class Sites {
 public:
  Sites() {
    for (Extents extents : {Extents{4, 4}, Extents{4, 3}, Extents{2, 3, 4}, Extents{4, 4}}) {
      NodeId x = graph.add_input(fmt::format("x{}", graph.id_limit()), Type::tensor(DType::Float32, extents));
      call("Relu", {x});
      call("Relu", {call("Neg", {x})});
      call("LeakyRelu", {x});
      call("Elu", {x});
      call("Elu", {x}, {{Symbol("alpha"), AttrValue::of_float(0.5)}});
      call("Elu", {x}, {{Symbol("alpha"), AttrValue::of_float(1)}});
      for (double value : {1.0, 2.0, 1.0}) {
        call("Add", {x, graph.add_constant(Tensor::of_doubles(DType::Float32, {1}, std::vector<double>{value}))});
      }
    }
  }
  void call(const char* op, std::vector<NodeId> operands, std::vector<AttrDict::Entry> attributes) {
    added_call(graph, op, operands, AttrDict(std::move(attributes)));
  }
  NodeId call(const char* op, std::vector<NodeId> operands) { return added_call(graph, op, operands, {}); }
  Graph graph;
};

// How many nodes the rule is found at, and at how many it is not.
std::pair<std::size_t, std::size_t> compare(Matcher& remembers, const Graph& graph, const RulePlan& plan) {
  std::size_t found = 0;
  std::size_t missed = 0;
  for (NodeId node = 0; node < graph.id_limit(); ++node) {
    Matcher fresh(graph);
    bool matches = fresh.match_at(plan, node) != nullptr;
    EXPECT_EQ(remembers.match_at(plan, node) != nullptr, matches) << plan.rule->name << " at " << graph.name(node);
    (matches ? found : missed) += 1;
  }
  return {found, missed};
}

TEST(Conditions, WhatIsRememberedIsSaidOfNoOtherSite) {
  std::vector<Rule> rules = rules_of(R"gsl(
rule square { let x = *; where x.rank == 2 and x.shape[0] == x.shape[1]; source Relu(x); target Elu(x); }
rule cube { let x = *; where x.rank == 3; source Relu(Neg(x)); target Elu(x); }
rule slope { let x = *; operator f elementwise; let c = f(x); where c.alpha == 1.0; source c; target Relu(x); }
rule given { let x = *; let c = Elu(x); where c.alpha == 0.5; source c; target Relu(x); }
rule of_constant { let x = *; let k = const; where k.value[0] == 2.0; source x + k; target Relu(x); }
)gsl");
  Sites sites;
  Matcher remembers(sites.graph);
  for (const Rule& rule : rules) {
    const RulePlan plan = plan_rule(rule);
    auto [found, missed] = compare(remembers, sites.graph, plan);
    EXPECT_GT(found, 0U) << rule.name;
    EXPECT_GT(missed, 0U) << rule.name;
  }
}

// More rules than answers are kept for, all asked about the same nodes.
TEST(Conditions, WhatIsRememberedIsSaidOfNoOtherRule) {
  std::string text;
  for (int k = 0; k < 140; ++k) {
    text += fmt::format("rule r{} {{ let x = *; where x.rank == {}; source Relu(x); target Elu(x); }}\n", k, k % 5);
  }
  std::vector<Rule> rules = rules_of(text);
  std::vector<RulePlan> plans;
  for (const Rule& rule : rules) {
    plans.push_back(plan_rule(rule));
  }
  Sites sites;
  Matcher remembers(sites.graph);
  for (NodeId node = 0; node < sites.graph.id_limit(); ++node) {
    for (std::size_t k = 0; k < plans.size(); ++k) {
      Matcher fresh(sites.graph);
      EXPECT_EQ(remembers.match_at(plans[k], node) != nullptr, fresh.match_at(plans[k], node) != nullptr) << rules[k].name;
    }
  }
}

}  // namespace
}  // namespace vouch
