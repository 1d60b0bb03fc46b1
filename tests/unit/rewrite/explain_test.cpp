// A matcher that explains goes the long way, binding each pattern after its parts; the quick way must find the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "rewrite/match.h"
#include "rule/parse.h"

namespace vouch {
namespace {

constexpr const char* kRules = R"gsl(
rule twice { let x = *; source x + x; target x * x; }
rule common { let x = *; let y = *; let z = *; source x * y + x * z; target x * (y + z); }
rule nested { let x = *; let y = *; source Relu(x) + (y + x); target x + y; }
rule square_of_sum { let x = *; let y = *; let s = x + y; source s * s; target x * x + y; }
rule absorbed { let x = *; let y = *; source x * (y * x); target x + y; }
rule siblings { let x = *; let y = *; let s = x + y; source Relu(s), Neg(s); target x, y; }
)gsl";

// So few inputs and so much sharing that operands often meet.
Graph random_graph(std::mt19937& random) {
  Graph graph;
  std::vector<NodeId> nodes;
  for (const char* name : {"a", "b"}) {
    nodes.push_back(graph.add_input(name, Type::tensor(DType::Float32, Extents{2})));
  }
  const char* binary[] = {"Add", "Mul", "Sub"};
  const char* unary[] = {"Relu", "Neg"};
  auto recent = [&] { return nodes[nodes.size() - 1 - random() % std::min<std::size_t>(nodes.size(), 4)]; };
  for (int k = 0; k < 16; ++k) {
    Diagnostics diagnostics;
    NodeId operands[] = {recent(), recent()};
    bool single = random() % 3 == 0;
    const char* op = single ? unary[random() % 2] : binary[random() % 3];
    nodes.push_back(graph.add_call(*find_op(op), std::span<const NodeId>(operands, single ? 1 : 2), {}, diagnostics));
    EXPECT_NE(nodes.back(), kNoNode) << diagnostics.text();
  }
  graph.add_output("y", nodes.back());
  return graph;
}

TEST(ExplainTest, ExplainingFindsTheSameMatches) {
  Diagnostics diagnostics;
  auto rules = parse_rules(std::make_shared<Source>("explain.gsl", kRules), diagnostics);
  ASSERT_TRUE(rules) << diagnostics.text();
  std::vector<RulePlan> plans;
  for (const Rule& rule : *rules) {
    plans.push_back(plan_rule(rule));
  }
  std::vector<std::size_t> found(rules->size());
  for (unsigned seed = 1; seed <= 2000; ++seed) {
    std::mt19937 random(seed);
    Graph graph = random_graph(random);
    Matcher quick(graph);
    Matcher slow(graph);
    slow.explain(true);
    for (std::size_t r = 0; r < rules->size(); ++r) {
      for (NodeId node = 0; node < graph.id_limit(); ++node) {
        const Match* a = quick.match_at(plans[r], node);
        const Match* b = slow.match_at(plans[r], node);
        ASSERT_EQ(a == nullptr, b == nullptr) << "seed " << seed << ", " << (*rules)[r].name << " at " << graph.name(node);
        if (a == nullptr) {
          continue;
        }
        ++found[r];
        for (PatternId p = 0; p < (*rules)[r].patterns.size(); ++p) {
          EXPECT_EQ(a->nodes[p], b->nodes[p]) << "seed " << seed << ", " << (*rules)[r].name << " at " << graph.name(node);
        }
        EXPECT_EQ(a->outputs, b->outputs);
      }
    }
  }
  for (std::size_t r = 0; r < rules->size(); ++r) {
    EXPECT_GT(found[r], 5U) << (*rules)[r].name;
  }
}

}  // namespace
}  // namespace vouch
