// Each inference rule of matching (PM-…) and mapping (PE-…) by its name, on graphs of a few nodes: what it must accept and do,
// and a neighbour that it must not accept. docs/thesis-map.md refers to these tests.
#include <gtest/gtest.h>

#include "../graph/added_call.h"
#include "graph/order.h"
#include "rewrite/engine.h"
#include "rule/parse.h"

namespace vouch {
namespace {

class Semantics : public ::testing::Test {
 protected:
  NodeId input(const std::string& name, Extents extents) { return graph_.add_input(name, Type::tensor(DType::Float32, extents)); }
  NodeId parameter(const std::string& name, Extents extents) {
    return graph_.add_parameter(name, Tensor(DType::Float32, std::move(extents)));
  }
  NodeId number(double value) { return graph_.add_constant(Tensor::of_doubles(DType::Float32, {}, std::vector<double>{value})); }
  NodeId numbers(std::vector<std::int64_t> values) {
    return graph_.add_constant(Tensor::of_ints(DType::Int64, {static_cast<std::int64_t>(values.size())}, values));
  }
  NodeId call(const char* op, std::vector<NodeId> operands, AttrDict attributes = {}) {
    return added_call(graph_, op, operands, attributes);
  }
  NodeId concat(std::vector<NodeId> items) { return call("Concat", {graph_.add_tuple(items)}, axis(0)); }
  static AttrDict axis(std::int64_t k) { return AttrDict({{Symbol("axis"), AttrValue(k)}}); }
  void output(NodeId node) { graph_.add_output("y" + std::to_string(graph_.outputs().size()), node); }

  // How often the one rule with these items fires.
  std::size_t fires(const std::string& items) {
    Diagnostics diagnostics;
    auto rules = parse_rules(std::make_shared<Source>("test.gsl", "rule r {\n" + items + "\n}\n"), diagnostics);
    EXPECT_TRUE(rules.has_value()) << diagnostics.text();
    return rules ? rewrite(graph_, *rules, {.admissions = all_unproven()}).steps : 99;
  }
  // Calls from operands to users.
  std::string calls() const {
    std::string names;
    for (NodeId node : reverse_post_order(graph_)) {
      if (graph_.kind(node) == NodeKind::Call) {
        names += (names.empty() ? "" : " ") + std::string(op_def(graph_.op(node)).name);
      }
    }
    return names;
  }

  Graph graph_;
};

const char* const kReluToAbs = "let x = *; source Relu(x); target Abs(x);";

TEST_F(Semantics, PMWildcard) {
  output(call("Relu", {input("x", {2})}));
  output(call("Relu", {parameter("w", {2})}));
  output(call("Relu", {call("Neg", {graph_.outputs()[0].node})}));
  output(call("Relu", {number(1)}));
  EXPECT_EQ(fires(kReluToAbs), 4U);
}

TEST_F(Semantics, PMConst) {
  NodeId x = input("x", {2});
  output(call("Mul", {x, number(2)}));
  output(call("Mul", {x, number(3)}));
  output(call("Mul", {x, input("two", {})}));
  EXPECT_EQ(fires("let x = *; let c = const {value = 2}; source x * c; target x + x;"), 1U);
  EXPECT_EQ(calls(), "Add Mul Mul");
}

TEST_F(Semantics, PMVariable) {
  output(call("Relu", {input("given", {2, 3})}));  // an input is no variable: its value comes at run time
  output(call("Relu", {parameter("w", {2, 3})}));
  output(call("Relu", {parameter("v", {3, 2})}));
  output(call("Relu", {call("Neg", {input("x", {2, 3})})}));
  EXPECT_EQ(fires("let w = variable {shape = (2, any), dtype = float32}; source Relu(w); target Abs(w);"), 1U);
  EXPECT_EQ(calls(), "Relu Abs Relu Neg Relu");
}

TEST_F(Semantics, PMCall) {
  NodeId x = input("x", {2, 3});
  output(call("Softmax", {x}, axis(0)));
  output(call("Softmax", {x}, axis(1)));
  output(call("LogSoftmax", {x}, axis(1)));
  EXPECT_EQ(fires("let x = *; source Softmax(x) {axis = 1}; target Abs(x);"), 1U);
  EXPECT_EQ(calls(), "Softmax Abs LogSoftmax");
}

TEST_F(Semantics, PMTuple) {
  NodeId x = input("x", {2});
  output(concat({x, x}));
  output(concat({x, x, x}));
  EXPECT_EQ(fires("let x = *; let y = *; source Concat((x, y)) {axis = 0}; target Tile(x, const {value = (2,)}); drop y;"), 1U);
  EXPECT_EQ(calls(), "Tile Concat");
}

TEST_F(Semantics, PMProj) {
  NodeId parts = call("Split", {input("x", {4}), numbers({1, 3})}, axis(0));
  output(call("Relu", {graph_.add_projection(parts, 0)}));
  output(call("Relu", {graph_.add_projection(parts, 1)}));
  EXPECT_EQ(fires("let x = *; let n = *; let s = Split(x, n) {axis = 0}; let p = s[1]; source Relu(p); target Abs(p);"), 0U)
      << "the split has another use, and it is inside: condition 4";
  EXPECT_EQ(fires("let s = *; source Relu(s); target Abs(s); where s.shape[0] == 3;"), 1U);
}

const char* const kItems = "variadic items[i] min 2 { let x = *; yield Relu(x); }\n";

TEST_F(Semantics, PMVariadic) {
  NodeId x = input("x", {2});
  output(concat({call("Relu", {x}), call("Relu", {input("y", {2})}), call("Relu", {input("z", {2})})}));
  output(concat({call("Relu", {x}), call("Neg", {x})}));
  std::string rule =
      std::string(kItems) +
      "source Concat(items) {axis = 0}; target Relu(Concat(variadic[i < items.length] { items[i].x }) {axis = 0});";
  EXPECT_EQ(fires(rule), 1U);
  EXPECT_EQ(calls(), "Concat Relu Relu Neg Concat");
}

TEST_F(Semantics, PMInst) {
  NodeId x = input("x", {2});
  NodeId y = input("y", {2});
  output(call("Sub", {concat({call("Relu", {x}), call("Relu", {y})}), concat({y, x})}));
  output(call("Sub", {concat({call("Relu", {x}), call("Relu", {y})}), concat({x, x})}));
  std::string rule = std::string(kItems) +
                     "let joined = Concat(items) {axis = 0};\n"
                     "let a = items[1].x; let b = items[0].x;\n"
                     "source joined - Concat((a, b)) {axis = 0}; target Concat((a, b)) {axis = 0};";
  EXPECT_EQ(fires(rule), 1U);
  EXPECT_EQ(graph_.operands(graph_.operands(graph_.outputs()[0].node)[0])[0], y);
}

TEST_F(Semantics, PEMatch) {
  NodeId x = input("x", {2});
  NodeId inner = call("Neg", {x});
  output(call("Relu", {inner}));
  EXPECT_EQ(fires("let x = *; let n = Neg(x); source Relu(n); target n;"), 1U);
  EXPECT_EQ(graph_.outputs()[0].node, inner) << "what is matched is used, not made again";
}

TEST_F(Semantics, PEConst) {
  output(call("Relu", {input("x", {2})}));
  EXPECT_EQ(fires("let x = *; source Relu(x); target x * const {value = 7, dtype = x.dtype};"), 1U);
  NodeId constant = graph_.operands(graph_.outputs()[0].node)[1];
  ASSERT_EQ(graph_.kind(constant), NodeKind::Constant);
  EXPECT_EQ(graph_.value(constant).double_at(0), 7);
}

TEST_F(Semantics, PECall) {
  output(call("Softmax", {input("x", {2, 3})}, axis(0)));
  EXPECT_EQ(fires("let x = *; let s = Softmax(x) {axis = any}; source s; target LogSoftmax(x) {axis = s.axis + 1};"), 1U);
  EXPECT_EQ(calls(), "LogSoftmax");
  EXPECT_EQ(*graph_.attributes(graph_.outputs()[0].node).find("axis"), AttrValue(1));
}

TEST_F(Semantics, PETuple) {
  output(call("Relu", {input("x", {2})}));
  EXPECT_EQ(fires("let x = *; source Relu(x); target Sum((x, Neg(x), Abs(x)));"), 1U);
  NodeId tuple = graph_.operands(graph_.outputs()[0].node)[0];
  ASSERT_EQ(graph_.kind(tuple), NodeKind::Tuple);
  EXPECT_EQ(graph_.operands(tuple).size(), 3U);
  EXPECT_EQ(calls(), "Neg Abs Sum");
}

TEST_F(Semantics, PEProj) {
  output(call("Relu", {input("x", {4})}));
  EXPECT_EQ(fires("let x = *; where x.shape[0] == 4; source Relu(x);\n"
                  "let s = Split(Concat((x, Abs(x))) {axis = 0}, const {value = (4, 4)}) {axis = 0}; target s[1];"),
            1U);
  NodeId result = graph_.outputs()[0].node;
  ASSERT_EQ(graph_.kind(result), NodeKind::Projection);
  EXPECT_EQ(graph_.projection_index(result), 1U);
}

TEST_F(Semantics, PEVariadic) {
  output(call("Relu", {input("x", {3})}));
  EXPECT_EQ(fires("let x = *; source Relu(x);\n"
                  "let copies = variadic[i < x.shape[0]] { x * const {value = i, dtype = x.dtype} };\n"
                  "target Sum(copies);"),
            1U);
  EXPECT_EQ(calls(), "Mul Mul Mul Sum");
}

TEST_F(Semantics, PEInst) {
  NodeId x = input("x", {2});
  NodeId y = input("y", {2});
  output(concat({call("Relu", {x}), call("Relu", {y})}));
  std::string rule = std::string(kItems) +
                     "source Concat(items) {axis = 0};\n"
                     "target Concat(variadic[i < items.length] { Abs(items[items.length - 1 - i].x) }) {axis = 0};";
  EXPECT_EQ(fires(rule), 1U);
  NodeId tuple = graph_.operands(graph_.outputs()[0].node)[0];
  EXPECT_EQ(graph_.operands(graph_.operands(tuple)[0])[0], y);
  EXPECT_EQ(graph_.operands(graph_.operands(tuple)[1])[0], x);
}

}  // namespace
}  // namespace vouch
