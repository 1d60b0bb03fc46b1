#include "io/onnx_import.h"

#include <gtest/gtest.h>

#include "onnx_text.h"

namespace vouch {
namespace {

bool mentions(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts) {
    if (text.find(part) == std::string::npos) {
      ADD_FAILURE() << "no '" << part << "' in: " << text;
      return false;
    }
  }
  return true;
}

Tensor floats(Extents extents, std::vector<double> values) {
  return Tensor::of_doubles(DType::Float32, std::move(extents), values);
}

TEST(OnnxImportTest, NodesNeedNotBeSorted) {
  OnnxText text;
  text.input("x", {2, 3}).output("y").initializer("w", floats({3}, {1, 2, 3}));
  text.node("Add", {"t", "w"}, {"y"}, "last");
  text.node("Relu", {"x"}, {"t"}, "first");
  Diagnostics diagnostics;
  auto model = text.import(diagnostics);
  ASSERT_TRUE(model) << diagnostics.text();
  const Graph& graph = model->graph;
  NodeId y = graph.outputs()[0].node;
  EXPECT_EQ(graph.name(y), "last");
  EXPECT_EQ(graph.type(y).text(), "float32[2, 3]");
  EXPECT_EQ(graph.kind(graph.operands(y)[1]), NodeKind::Parameter);
}

TEST(OnnxImportTest, InitialisersListedAsInputsAreParameters) {
  OnnxText text;
  text.input("x", {2}).input("w", {2}).output("y").initializer("w", floats({2}, {1, 2}));
  text.node("Mul", {"x", "w"}, {"y"});
  Diagnostics diagnostics;
  auto model = text.import(diagnostics);
  ASSERT_TRUE(model) << diagnostics.text();
  EXPECT_EQ(model->graph.inputs().size(), 1U);
}

TEST(OnnxImportTest, SymbolicSizesKeepTheirNames) {
  OnnxText text;
  text.input("x", {1, 0}).input("z", {1, 0}).output("y");
  for (auto& input : *text.graph().mutable_input()) {
    input.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(1)->set_dim_param("batch size");
  }
  text.node("Add", {"x", "z"}, {"y"});
  Diagnostics diagnostics;
  auto model = text.import(diagnostics);
  ASSERT_TRUE(model) << diagnostics.text();
  EXPECT_EQ(model->graph.type(model->graph.outputs()[0].node).extents()[1], int_var("batch size"));
  EXPECT_TRUE(model->graph.conditions().empty());
}

TEST(OnnxImportTest, EveryUnknownOperatorIsReportedInOneRun) {
  OnnxText text;
  text.input("x", {2}).output("y");
  text.node("Relux", {"x"}, {"a"}, "n1");
  text.node("Frobnicate", {"a"}, {"b"});
  text.node("Frobnicate", {"b"}, {"c"});
  text.node("relu", {"c"}, {"y"}, "lower");
  text.graph().mutable_node(3)->set_domain("com.example");
  mentions(text.errors(), {"test.onnx: Relux node 'n1': error: operator 'Relux' is not supported", "did you mean 'Relu'?",
                           "operator 'Frobnicate'", "(and 1 more)", "com.example.relu"});
}

TEST(OnnxImportTest, FurtherResultsAreNoOperatorsOfTheirOwn) {
  OnnxText text;
  text.input("x", {2}).output("y");
  text.node("DropoutMask", {"x"}, {"y"});
  mentions(text.errors(), {"operator 'DropoutMask' is not supported"});
}

TEST(OnnxImportTest, CyclesAndLooseEndsAreNamed) {
  OnnxText cycle;
  cycle.input("x", {2}).output("b");
  cycle.node("Add", {"x", "b"}, {"a"}, "one");
  cycle.node("Relu", {"a"}, {"b"}, "two");
  mentions(cycle.errors(), {"depends on itself", "Add node 'one'", "Relu node 'two'"});

  OnnxText self;
  self.input("x", {2}).output("a");
  self.node("Add", {"x", "a"}, {"a"}, "one");
  mentions(self.errors(), {"depends on itself"});

  OnnxText loose;
  loose.input("x", {2}).output("y");
  loose.node("Add", {"x", "nowhere"}, {"y"}, "one");
  mentions(loose.errors(), {"nothing defines the value 'nowhere'"});

  OnnxText twice;
  twice.input("x", {2}).output("y");
  twice.node("Relu", {"x"}, {"y"});
  twice.node("Neg", {"x"}, {"y"});
  mentions(twice.errors(), {"'y' is defined a second time"});

  OnnxText shadow;
  shadow.input("x", {2}).output("x");
  shadow.node("Relu", {"x"}, {"x"});
  EXPECT_FALSE(shadow.errors().empty());
}

TEST(OnnxImportTest, DeepChainsAreReadWithoutRecursion) {
  constexpr int kDepth = 100000;
  OnnxText text;
  text.input("v0", {2}).output("v" + std::to_string(kDepth));
  for (int i = kDepth; i > 0; --i) {  // last first: the order has to be found
    text.node("Relu", {"v" + std::to_string(i - 1)}, {"v" + std::to_string(i)});
  }
  Diagnostics diagnostics;
  auto model = text.import(diagnostics);
  ASSERT_TRUE(model) << diagnostics.text();
  EXPECT_EQ(model->graph.live_count(), kDepth + 1U);
}

TEST(OnnxImportTest, ClaimsAreCheckedBeforeMemoryIsSpent) {
  OnnxText lie;
  lie.input("x", {2}).output("y").initializer("w", floats({2}, {1, 2}));
  lie.node("Add", {"x", "w"}, {"y"});
  auto& tensor = *lie.graph().mutable_initializer(0);
  tensor.set_dims(0, 1000000000);
  mentions(lie.errors(), {"initializer 'w'", "needs 4000000000 bytes, found 8"});
  tensor.set_dims(0, -2);
  mentions(lie.errors(), {"[-2] has no element count"});
  tensor.set_dims(0, INT64_MAX);
  tensor.add_dims(INT64_MAX);
  mentions(lie.errors(), {"no element count"});
  tensor.clear_dims();
  tensor.add_dims(2);
  tensor.clear_raw_data();
  tensor.add_float_data(1);
  mentions(lie.errors(), {"needs 2 elements, found 1"});
  tensor.set_data_type(onnx::TensorProto::STRING);
  mentions(lie.errors(), {"element type STRING"});
}

TEST(OnnxImportTest, InputsThatCannotBeAreRefused) {
  OnnxText negative;
  negative.input("x", {-3}).output("y");
  negative.node("Relu", {"x"}, {"y"});
  mentions(negative.errors(), {"input 'x'", "negative size -3"});

  OnnxText huge;
  huge.input("x", {1000000000, 1000000000, 1000000000}).output("y");
  huge.node("Relu", {"x"}, {"y"});
  mentions(huge.errors(), {"input 'x'", "element count"});

  OnnxText grown;
  grown.input("x", {1000000000, 1}).input("z", {1, 1000000000}).input("u", {1000000000, 1, 1}).output("y");
  grown.node("Add", {"x", "z"}, {"t"});
  grown.node("Add", {"t", "u"}, {"y"}, "grow");
  mentions(grown.errors(), {"Add node giving 't'", "no element count"});

  OnnxText sequence;
  sequence.input("x", {1}).output("y");
  sequence.graph().mutable_input(0)->mutable_type()->mutable_sequence_type();
  sequence.node("Relu", {"x"}, {"y"});
  mentions(sequence.errors(), {"expected a tensor"});
}

TEST(OnnxImportTest, MistypedNodesAreRefusedWithTheirPlace) {
  OnnxText text;
  text.input("x", {2, 3}).input("i", {2}, onnx::TensorProto::INT64).output("y");
  add_int(text.node("Transpose", {"x"}, {"y"}, "t"), "perm", 1);
  mentions(text.errors(), {"Transpose node 't'", "attribute 'perm'"});

  OnnxText reshape;
  reshape.input("x", {2, 3}).output("y");
  std::int64_t sizes[] = {1LL << 62, 1LL << 62, 0};
  reshape.initializer("s", Tensor::of_ints(DType::Int64, {3}, sizes));
  reshape.node("Reshape", {"x", "s"}, {"y"}, "r");
  mentions(reshape.errors(), {"Reshape node 'r'"});

  OnnxText twice;
  twice.input("x", {2, 3}).output("y");
  auto& node = twice.node("Softmax", {"x"}, {"y"}, "s");
  add_int(node, "axis", 1);
  add_int(node, "axis", 0);
  mentions(twice.errors(), {"'axis' is given twice"});
}

TEST(OnnxImportTest, BytesThatAreNoModelAreRefused) {
  OnnxText text;
  text.input("x", {2}).output("y");
  text.node("Relu", {"x"}, {"y"});
  std::string bytes = text.bytes();
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    Diagnostics diagnostics;
    if (!import_onnx_bytes(bytes.substr(0, length), "cut.onnx", {}, diagnostics)) {
      EXPECT_TRUE(diagnostics.has_errors()) << length;
    }
  }
  Diagnostics diagnostics;
  EXPECT_FALSE(import_onnx_bytes("{\"nodes\": []}", "t.onnx", {}, diagnostics));
  EXPECT_FALSE(import_onnx_bytes("", "t.onnx", {}, diagnostics));
}

TEST(OnnxImportTest, NewerAndMissingOpsetsAreRefused) {
  OnnxText newer(21);
  newer.input("x", {2}).output("y");
  newer.node("Relu", {"x"}, {"y"});
  mentions(newer.errors(), {"expected opset 1 to 20, found 21"});
  newer.model().mutable_opset_import(0)->set_domain("com.example");
  mentions(newer.errors(), {"imports no opset of the domain ai.onnx"});
}

TEST(OnnxImportTest, ExternalDataStaysInTheModelsFolder) {
  OnnxText text;
  text.input("x", {2}).output("y").initializer("w", floats({2}, {1, 2}));
  text.node("Add", {"x", "w"}, {"y"});
  auto& tensor = *text.graph().mutable_initializer(0);
  tensor.clear_raw_data();
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  auto& entry = *tensor.add_external_data();
  entry.set_key("location");
  for (const char* location : {"../secret", "/etc/passwd", "a/../../b", ".", ""}) {
    entry.set_value(location);
    Diagnostics diagnostics;
    EXPECT_FALSE(import_onnx_bytes(text.bytes(), "test.onnx", testing::TempDir(), diagnostics));
    mentions(diagnostics.text(), {"inside the model's folder"});
  }
  mentions(text.errors(), {"inside the model's folder"});  // no folder at all
}

TEST(OnnxImportTest, FunctionsAreInlined) {
  OnnxText text;
  text.input("x", {2}).output("y");
  text.node("Twice", {"x"}, {"y"}, "call").set_domain("local");
  text.model().add_opset_import()->set_domain("local");
  auto& function = *text.model().add_functions();
  function.set_name("Twice");
  function.set_domain("local");
  function.add_input("a");
  function.add_output("b");
  auto& add = *function.add_node();
  add.set_op_type("Add");
  add.add_input("a");
  add.add_input("a");
  add.add_output("b");
  Diagnostics diagnostics;
  auto model = text.import(diagnostics);
  ASSERT_TRUE(model) << diagnostics.text();
  EXPECT_EQ(model->graph.live_count(), 2U);

  add.set_op_type("Twice");
  add.set_domain("local");
  add.mutable_input()->RemoveLast();
  mentions(text.errors(), {"calls itself"});
}

}  // namespace
}  // namespace vouch
