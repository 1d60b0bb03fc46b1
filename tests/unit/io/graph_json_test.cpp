#include "io/graph_json.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "graph/eval.h"
#include "graph/order.h"

namespace vouch {
namespace {

namespace fs = std::filesystem;

std::optional<Graph> graph_of(const std::string& text, Diagnostics& diagnostics) {
  return parse_graph(std::make_shared<Source>("g.json", text), {}, diagnostics);
}

NodeId add(Graph& graph, const char* op, std::initializer_list<NodeId> operands, AttrDict attributes = {}) {
  Diagnostics diagnostics;
  NodeId node = graph.add_call(*find_op(op), std::span(operands.begin(), operands.size()), attributes, diagnostics);
  EXPECT_NE(node, kNoNode) << diagnostics.text();
  return node;
}

void expect_same(const Graph& a, const Graph& b) {
  ASSERT_EQ(a.live_count(), b.live_count());
  ASSERT_EQ(a.inputs().size(), b.inputs().size());
  for (std::size_t i = 0; i < a.inputs().size(); ++i) {
    EXPECT_EQ(a.name(a.inputs()[i]), b.name(b.inputs()[i]));
    EXPECT_EQ(a.type(a.inputs()[i]), b.type(b.inputs()[i]));
  }
  ASSERT_EQ(a.outputs().size(), b.outputs().size());
  std::vector<NodeId> ours = reverse_post_order(a);
  std::vector<NodeId> theirs = reverse_post_order(b);
  ASSERT_EQ(ours.size(), theirs.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    ASSERT_EQ(a.kind(ours[i]), b.kind(theirs[i]));
    EXPECT_EQ(a.name(ours[i]), b.name(theirs[i]));
    EXPECT_EQ(a.type(ours[i]), b.type(theirs[i]));
    if (a.kind(ours[i]) == NodeKind::Call) {
      EXPECT_EQ(a.op(ours[i]), b.op(theirs[i]));
      EXPECT_EQ(a.attributes(ours[i]), b.attributes(theirs[i]));
    }
    if (a.has_value(ours[i])) {
      EXPECT_TRUE(a.value(ours[i]) == b.value(theirs[i]));
    }
  }
}

// Every kind of node and of attribute.
Graph sample() {
  Graph graph;
  NodeId x = graph.add_input("x", Type::tensor(DType::Float32, {Term(2), int_var("batch size")}));
  double awkward[] = {-0.0, NAN, INFINITY, 0.1};
  double plain[] = {-0.0, 1e-45, 3.4028234663852886e38, 0.1};
  NodeId w = graph.add_parameter("w", Tensor::of_doubles(DType::Float32, {2, 2, 1}, awkward));
  NodeId v = graph.add_constant(Tensor::of_doubles(DType::Float32, {2, 2, 1}, plain), "v \"quoted\"");
  NodeId large = graph.add_parameter("large", Tensor(DType::Float16, {100, 2, 1}));
  NodeId sum = add(graph, "Add", {add(graph, "Add", {x, w}), v});
  NodeId items[] = {sum, sum};
  NodeId joined = add(graph, "Concat", {graph.add_tuple(items)}, AttrDict({{Symbol("axis"), 0}}));
  NodeId split = add(graph, "Split", {joined}, AttrDict({{Symbol("num_outputs"), 2}}));
  NodeId part = graph.add_projection(split, 1);
  graph.set_name(part, "part");
  NodeId leaky = add(graph, "LeakyRelu", {part}, AttrDict({{Symbol("alpha"), real_const(Rational(1, 3))}}));
  NodeId cast = add(graph, "Cast", {large}, AttrDict({{Symbol("to"), std::string("float64")}}));
  NodeId clip = add(graph, "Clip", {leaky, kNoNode, graph.add_constant(Tensor(DType::Float32, {}))});
  graph.add_output("y", clip);
  graph.add_output("z", cast);
  return graph;
}

TEST(GraphJsonTest, WhatIsPrintedIsReadBack) {
  Graph graph = sample();
  Diagnostics diagnostics;
  auto text = print_graph(graph, diagnostics);
  ASSERT_TRUE(text) << diagnostics.text();
  auto again = graph_of(*text, diagnostics);
  ASSERT_TRUE(again) << diagnostics.text();
  EXPECT_EQ(print_graph(*again, diagnostics), text);
  // Names that were generated are given names now: compare with a second reading.
  auto twice = graph_of(*print_graph(*again, diagnostics), diagnostics);
  ASSERT_TRUE(twice);
  expect_same(*again, *twice);
  EXPECT_EQ(again->live_count(), graph.live_count());
  EXPECT_TRUE(again->value(*again->find_name("w")) == graph.value(*graph.find_name("w"))) << "NaN and -0 keep their bits";
  EXPECT_TRUE(again->value(*again->find_name("v \"quoted\"")) == graph.value(*graph.find_name("v \"quoted\"")));
}

TEST(GraphJsonTest, LargeValuesLieAside) {
  fs::path folder = fs::path(testing::TempDir()) / ("vouch_json_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  Graph graph = sample();
  Diagnostics diagnostics;
  ASSERT_TRUE(write_graph(graph, (folder / "g.json").string(), diagnostics)) << diagnostics.text();
  EXPECT_EQ(fs::file_size(folder / "g.bin"), 400U);
  auto again = read_graph((folder / "g.json").string(), diagnostics);
  ASSERT_TRUE(again) << diagnostics.text();
  EXPECT_TRUE(again->value(*again->find_name("large")) == graph.value(*graph.find_name("large")));
  fs::resize_file(folder / "g.bin", 399);
  EXPECT_FALSE(read_graph((folder / "g.json").string(), diagnostics));
  EXPECT_NE(diagnostics.text().find("/bytes"), std::string::npos) << diagnostics.text();
  fs::remove_all(folder);
}

TEST(GraphJsonTest, ErrorsNameLineColumnAndPointer) {
  const std::string head =
      "{\"vouch\": 1,\n \"inputs\": [{\"name\": \"x\", \"type\": \"float32\", \"dims\": [2]}],\n \"nodes\": [\n  ";
  const std::string tail = "],\n \"outputs\": [{\"name\": \"y\", \"value\": \"n\"}]}";
  struct {
    const char* node;
    const char* place;
    const char* message;
  } cases[] = {
      {R"({"name": "n", "op": "Relux", "operands": ["x"]})", "g.json:4:23", "did you mean 'Relu'?"},
      {R"({"name": "n", "op": "Relu", "operands": ["z"]})", "g.json:4:44", "(at /nodes/0/operands/0)"},
      {R"({"name": "n", "op": "Relu", "operands": ["x", "x"]})", "g.json:4:3", "takes 1 operands, found 2"},
      {R"({"name": "n", "op": "Relu", "operands": ["x"], "atributes": {}})", "g.json:4", "did you mean 'attributes'?"},
      {R"({"name": "n", "op": "Flatten", "operands": ["x"], "attributes": {"axis": "1"}})", "g.json:4:3", "must be an integer"},
      {R"({"name": "x", "op": "Relu", "operands": ["x"]})", "g.json:4", "given twice"},
      {R"({"name": "n", "kind": "constant", "type": "int8", "dims": [2], "data": [1, 300]})", "g.json:4",
       "300 does not fit int8"},
      {R"({"name": "n", "kind": "constant", "type": "int8", "dims": [1000000000], "data": [1]})", "g.json:4",
       "expected 1000000000 elements, found 1"},
      {R"({"name": "n", "kind": "constant", "type": "int8", "dims": [-1], "data": []})", "g.json:4", "no element count"},
      {R"({"name": "n", "kind": "constant", "type": "float32", "dims": [1], "hex": "0000"})", "g.json:4",
       "expected 4 bytes, found 2"},
      {R"({"name": "n", "kind": "constant", "type": "float32", "dims": [1], "bytes": [0, 4]})", "g.json:4",
       "not in the file of weights"},
      {R"({"name": "n", "kind": "projection", "operands": ["x"], "index": 0})", "g.json:4:3", "a projection selects"},
      {R"({"name": "n", "kind": "thing"})", "g.json:4", "unknown kind 'thing'"},
  };
  for (const auto& c : cases) {
    Diagnostics diagnostics;
    EXPECT_FALSE(graph_of(head + c.node + tail, diagnostics)) << c.node;
    EXPECT_NE(diagnostics.text().find(c.place), std::string::npos) << diagnostics.text();
    EXPECT_NE(diagnostics.text().find(c.message), std::string::npos) << diagnostics.text();
  }
}

TEST(GraphJsonTest, OtherVersionsAndFoldersAreRefused) {
  Diagnostics diagnostics;
  EXPECT_FALSE(graph_of(R"({"vouch": 2, "inputs": [], "nodes": [], "outputs": []})", diagnostics));
  EXPECT_NE(diagnostics.text().find("expected version 1"), std::string::npos);
  for (const char* file : {"../w.bin", "/etc/passwd", "a/b", "..", ""}) {
    Diagnostics refused;
    std::string text = std::string(R"({"vouch": 1, "weights": ")") + file + R"(", "inputs": [], "nodes": [], "outputs": []})";
    EXPECT_FALSE(parse_graph(std::make_shared<Source>("g.json", text), testing::TempDir(), refused)) << file;
    EXPECT_NE(refused.text().find("/weights"), std::string::npos) << refused.text();
  }
}

}  // namespace
}  // namespace vouch
