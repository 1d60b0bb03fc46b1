#include "workloads.h"

#include <fmt/format.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>

namespace vouch::bench {
namespace {

NodeId call(Graph& graph, const char* op, std::initializer_list<NodeId> operands) {
  Diagnostics diagnostics;
  NodeId node = graph.add_call(*find_op(op), std::span(operands.begin(), operands.size()), {}, diagnostics);
  if (node == kNoNode) {
    std::fputs(diagnostics.text().c_str(), stderr);
    std::exit(1);
  }
  return node;
}

NodeId square(Graph& graph, const std::string& name) {
  return graph.add_input(name, Type::tensor(DType::Float32, Extents{4, 4}));
}

}  // namespace

const char* const kGemmRule = "rule gemm { let x = *; let a = *; let b = *; source Add(MatMul(x, a), b); target Gemm(x, a, b); }";

const char* const kVariadicRule = R"gsl(rule products {
  let x = *;
  let w1 = *;
  let first = MatMul(x, w1);
  variadic branch[i] from first, w1 min 2 {
    let w = *;
    yield MatMul(x, w);
  }
  source branch;
  target variadic[i < branch.length] { Gemm(x, branch[i].w, branch[i].w) };
})gsl";

std::vector<Rule> rules_of(const std::string& text) {
  Diagnostics diagnostics;
  auto rules = parse_rules(std::make_shared<Source>("bench.gsl", text), diagnostics);
  if (!rules) {
    std::fputs(diagnostics.text().c_str(), stderr);
    std::exit(1);
  }
  return std::move(*rules);
}

Graph matmul_add_chain(std::size_t pairs) {
  Graph graph;
  NodeId a = square(graph, "a");
  NodeId b = square(graph, "b");
  NodeId x = square(graph, "x");
  for (std::size_t k = 0; k < pairs; ++k) {
    x = call(graph, "Add", {call(graph, "MatMul", {x, a}), b});
  }
  graph.add_output("y", x);
  return graph;
}

Graph add_chain(std::size_t calls) {
  Graph graph;
  NodeId b = square(graph, "b");
  NodeId x = square(graph, "x");
  for (std::size_t k = 0; k < calls; ++k) {
    x = call(graph, "Add", {x, b});
  }
  graph.add_output("y", x);
  return graph;
}

Graph shared_producer(std::size_t count) {
  Graph graph;
  NodeId x = square(graph, "x");
  for (std::size_t k = 0; k < count; ++k) {
    NodeId w = square(graph, fmt::format("w{}", k));
    graph.add_output(fmt::format("y{}", k), call(graph, "MatMul", {x, w}));
  }
  return graph;
}

Graph groups_of_products(std::size_t groups, std::size_t width) {
  Graph graph;
  std::vector<NodeId> weights;
  for (std::size_t k = 0; k < width; ++k) {
    weights.push_back(square(graph, fmt::format("w{}", k)));
  }
  NodeId x = square(graph, "x");
  for (std::size_t g = 0; g < groups; ++g) {
    x = call(graph, "Relu", {x});
    NodeId sum = call(graph, "MatMul", {x, weights[0]});
    for (std::size_t k = 1; k < width; ++k) {
      sum = call(graph, "Sub", {sum, call(graph, "MatMul", {x, weights[k]})});
    }
    x = sum;
  }
  graph.add_output("y", x);
  return graph;
}

std::string many_rules(std::size_t count) {
  std::vector<std::string_view> unary;
  for (const std::string& name : op_names()) {
    const OpDef& def = op_def(*find_op(name));
    bool plain = def.operands.size() == 1 && def.operands[0].kind == OperandKind::Required && def.traits.elementwise;
    for (const AttrDef& attr : def.attributes) {
      plain = plain && !std::holds_alternative<Required>(attr.otherwise);
    }
    if (plain) {
      unary.push_back(def.name);
    }
  }
  std::string text;
  for (std::size_t r = 0; r < count; ++r) {
    text += fmt::format("rule r{0} {{ let x = *; let b = *; source Add({1}({2}(x)), b); target Sub({1}({2}(x)), b); }}\n", r,
                        unary[r / unary.size() % unary.size()], unary[r % unary.size()]);
  }
  return text;
}

std::string rule_of_outputs(std::size_t outputs) {
  std::string lets;
  std::string source;
  std::string target;
  for (std::size_t k = 0; k < outputs; ++k) {
    const char* comma = k == 0 ? "" : ", ";
    lets += fmt::format("let w{} = *; ", k);
    source += fmt::format("{}MatMul(x, w{})", comma, k);
    target += fmt::format("{}Gemm(x, w{}, w{})", comma, k, k);
  }
  return fmt::format("rule products {{ let x = *; {}source {}; target {}; }}", lets, source, target);
}

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace vouch::bench
