// A graph of a few nodes on which one rule is tried, through the gate.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../graph/added_call.h"
#include "../rule/rules_of.h"
#include "optimize/gate.h"
#include "rewrite/engine.h"

namespace vouch {

class Site {
 public:
  NodeId input(Extents extents, DType dtype = DType::Float32) {
    return graph.add_input("x" + std::to_string(graph.id_limit()), Type::tensor(dtype, extents));
  }
  NodeId list(const std::vector<std::int64_t>& values) {
    return graph.add_constant(Tensor::of_ints(DType::Int64, {static_cast<std::int64_t>(values.size())}, values));
  }
  NodeId call(const char* op, std::vector<NodeId> operands, AttrDict attributes = {}) {
    return added_call(graph, op, operands, attributes);
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
