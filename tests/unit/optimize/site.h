// A graph of a few nodes on which one rule is tried, through the gate.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "optimize/gate.h"
#include "rewrite/engine.h"
#include "rule/parse.h"

namespace vouch {

inline std::vector<Rule> rules_of(const std::string& text) {
  Diagnostics diagnostics;
  auto rules = parse_rules(std::make_shared<Source>("test.gsl", text), diagnostics);
  EXPECT_TRUE(rules.has_value()) << diagnostics.text();
  return rules.value_or(std::vector<Rule>());
}

class Site {
 public:
  NodeId input(Extents extents, DType dtype = DType::Float32) {
    return graph.add_input("x" + std::to_string(graph.id_limit()), Type::tensor(dtype, extents));
  }
  NodeId list(const std::vector<std::int64_t>& values) {
    return graph.add_constant(Tensor::of_ints(DType::Int64, {static_cast<std::int64_t>(values.size())}, values));
  }
  NodeId call(const char* op, std::vector<NodeId> operands, AttrDict attributes = {}) {
    Diagnostics diagnostics;
    NodeId node = graph.add_call(*find_op(op), operands, attributes, diagnostics);
    EXPECT_NE(node, kNoNode) << diagnostics.text();
    return node;
  }
  // How often the rule fires, and why it did not.
  std::size_t fires(const std::string& rule, NodeId output) {
    graph.add_output("y", output);
    std::vector<Rule> rules = rules_of(rule);
    Gate gate(rules, false);
    RewriteResult result = rewrite(graph, rules, {.admissions = gate.admissions()});
    reason = result.refusals.empty() ? "" : result.refusals[0].reason;
    return result.steps;
  }
  Graph graph;
  std::string reason;
};

}  // namespace vouch
