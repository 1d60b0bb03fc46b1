// GSL: whatever is accepted must print, and read back as the same rule; and its rules may be tried on a graph, which stays
// well-formed whatever they do to it.
#include <cstdint>

#include "graph/verify_graph.h"
#include "rewrite/engine.h"
#include "rewrite/match.h"
#include "rewrite/why_not.h"
#include "rule/parse.h"
#include "rule/print.h"
#include "support/fault.h"

namespace vouch {
namespace {

NodeId call(Graph& graph, const char* op, std::initializer_list<NodeId> operands, AttrDict attributes = {}) {
  Diagnostics diagnostics;
  NodeId node = graph.add_call(*find_op(op), std::span(operands.begin(), operands.size()), attributes, diagnostics);
  ensure(node != kNoNode, diagnostics.text());
  return node;
}

// Some of each: chains, sharing, commutative operators, a tuple and its parts, constants.
Graph small_graph() {
  Graph graph;
  Type square = Type::tensor(DType::Float32, Extents{4, 4});
  NodeId x = graph.add_input("x", square);
  NodeId a = graph.add_input("a", square);
  NodeId b = graph.add_parameter("b", Tensor(DType::Float32, Extents{4, 4}));
  NodeId one = graph.add_constant(Tensor(DType::Float32, Extents{}));
  NodeId left = call(graph, "Add", {call(graph, "MatMul", {x, a}), b});
  NodeId right = call(graph, "Relu", {call(graph, "MatMul", {x, b})});
  NodeId turned = call(graph, "Transpose", {call(graph, "Transpose", {call(graph, "Mul", {left, one})})});
  NodeId pair = graph.add_tuple(std::initializer_list<NodeId>{turned, right});
  NodeId sum = call(graph, "Sub", {graph.add_projection(pair, 0), graph.add_projection(pair, 1)});
  graph.add_output("y", call(graph, "Sigmoid", {call(graph, "Relu", {call(graph, "Relu", {sum})})}));
  graph.add_output("z", call(graph, "Add", {right, call(graph, "Exp", {right})}));
  return graph;
}

void print_and_read_back(const Rule& rule) {
  std::string printed = print_rule(rule);
  Diagnostics diagnostics;
  auto again = parse_rules(std::make_shared<Source>("again.gsl", printed), diagnostics);
  ensure(again.has_value() && again->size() == 1, "what was printed can be read:\n" + printed + diagnostics.text());
  ensure(same_rule(rule, (*again)[0]), "it is the same rule:\n" + printed);
  ensure(canonical_text(rule) == canonical_text((*again)[0]), "equal rules have one canonical text");
}

// A matcher that explains goes the long way.
void match_both_ways(const Graph& graph, const Rule& rule) {
  RulePlan plan = plan_rule(rule);
  Matcher quick(graph);
  Matcher slow(graph);
  slow.explain(true);
  for (NodeId node = 0; node < graph.id_limit(); ++node) {
    const Match* a = quick.match_at(plan, node);
    const Match* b = slow.match_at(plan, node);
    ensure((a == nullptr) == (b == nullptr) && (a == nullptr || a->outputs == b->outputs), "explaining changes nothing");
  }
}

void try_on_graph(const std::vector<Rule>& rules) {
  static const Graph kGraph = small_graph();
  for (const Rule& rule : rules) {
    match_both_ways(kGraph, rule);
  }
  Graph graph = kGraph;
  RewriteOptions options;
  options.most_steps = 64;
  options.admissions = all_unproven();
  (void)rewrite(graph, rules, options);
  std::string wrong = verify_graph(graph);
  ensure(wrong.empty(), wrong);
  Admission everywhere = Admission::unproven();
  for (const Rule& rule : rules) {
    (void)why_not(graph, rule, everywhere).text(graph, rule);
  }
}

}  // namespace
}  // namespace vouch

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vouch;
  Diagnostics diagnostics;
  std::string text(reinterpret_cast<const char*>(data), size);
  auto rules = parse_rules(std::make_shared<Source>("fuzz.gsl", text), diagnostics);
  ensure(rules.has_value() != diagnostics.has_errors(), "a refusal has a reason, and only that");
  (void)diagnostics.text();
  if (rules) {
    for (const Rule& rule : *rules) {
      print_and_read_back(rule);
    }
    try_on_graph(*rules);
  }
  return 0;
}
