#include "io/onnx_import.h"

#include <gtest/gtest.h>

#include "graph/eval.h"
#include "graph/foreign.h"
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

// IR version 3 makes every initialiser an input; from 4 on one that is an input is what the input is where nothing is fed.
TEST(OnnxImportTest, InitialisersListedAsInputsAreParametersBeforeVersion4) {
  OnnxText text;
  text.model().set_ir_version(3);
  text.input("x", {2}).input("w", {2}).output("y").initializer("w", floats({2}, {1, 2}));
  text.node("Mul", {"x", "w"}, {"y"});
  Diagnostics diagnostics;
  auto model = text.import(diagnostics);
  ASSERT_TRUE(model) << diagnostics.text();
  EXPECT_EQ(model->graph.inputs().size(), 1U);
}

TEST(OnnxImportTest, OverridableInitialisersAreInputsWithDefaults) {
  OnnxText text;
  text.input("x", {2}).input("w", {2}).output("y").initializer("w", floats({2}, {1, 2}));
  text.node("Mul", {"x", "w"}, {"y"});
  Diagnostics diagnostics;
  auto model = text.import(diagnostics);
  ASSERT_TRUE(model) << diagnostics.text();
  EXPECT_EQ(model->graph.inputs().size(), 2U);
  ASSERT_EQ(model->defaults.size(), 1U);
  EXPECT_EQ(model->defaults[0].name, "w");
  EXPECT_EQ(model->defaults[0].tensor, floats({2}, {1, 2}));
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

// What the table has not stays what it is; only its evaluation is refused.
TEST(OnnxImportTest, UnknownOperatorsAreLeftAlone) {
  OnnxText text;
  text.input("x", {2}).output("y");
  text.node("Relux", {"x"}, {"a"}, "n1");
  text.node("relu", {"a"}, {"b"}, "lower").set_domain("com.example");
  text.node("DropoutMask", {"b"}, {"c"});  // a further result, which is no operator of ONNX
  text.node("Relu", {"c"}, {"y"}, "after");
  Diagnostics diagnostics;
  auto model = text.import(diagnostics);
  ASSERT_TRUE(model) << diagnostics.text();
  EXPECT_FALSE(eval_graph(model->graph, {floats({2}, {1, 2})}, diagnostics));
  mentions(diagnostics.text(), {"call of Relux has no meaning", "did you mean 'Relu'?"});
}

// What decides a size, or whether numbers are drawn, is fed: the node has the type that the operator or the model says, or none.
TEST(OnnxImportTest, CallsWhoseDataDecideAreLeftAlone) {
  OnnxText text;
  text.input("x", {1, 1, 2, 2}).input("scales", {4}).output("y").output("z").output("d");
  text.node("Resize", {"x", "", "scales"}, {"y"});
  text.node("Resize", {"x", "", "scales"}, {"z"});
  text.initializer("ratio", floats({}, {0.5}))
      .initializer("training", Tensor::of_ints(DType::Bool, {}, std::vector<std::int64_t>{1}));
  text.node("Dropout", {"x", "ratio", "training"}, {"d"});
  OnnxText::shape(*text.graph().mutable_output(0), "y", {1, 1, 4, 6});
  Diagnostics diagnostics;
  auto model = text.import(diagnostics);
  ASSERT_TRUE(model) << diagnostics.text();
  const Graph& graph = model->graph;
  EXPECT_EQ(graph.type(graph.outputs()[0].node), Type::tensor(DType::Float32, Extents{1, 1, 4, 6}));
  EXPECT_TRUE(is_foreign(graph.type(graph.outputs()[1].node)));
  EXPECT_EQ(graph.type(graph.outputs()[2].node),
            Type::tensor(DType::Float32, Extents{1, 1, 2, 2}));  // of Dropout it is the operand's
}

// Of no operator of ONNX: no version of them is needed.
TEST(OnnxImportTest, OtherDomainsNeedNoOpsetOfOnnx) {
  OnnxText text;
  text.model().mutable_opset_import(0)->set_domain("ai.onnx.preview.training");
  text.input("x", {2}).output("y");
  text.node("Adam", {"x"}, {"y"}).set_domain("ai.onnx.preview.training");
  Diagnostics diagnostics;
  EXPECT_TRUE(text.import(diagnostics)) << diagnostics.text();
  text.output("z");
  text.node("Relu", {"x"}, {"z"});
  mentions(text.errors(), {"imports no opset of the domain ai.onnx"});
}

// The version is that of the functions that have them; the domain has two spellings.
TEST(OnnxImportTest, FunctionsSayWhichOpsetTheyUse) {
  OnnxText text;
  text.model().mutable_opset_import(0)->set_domain("com.example");
  text.input("x", {2}).output("y");
  text.node("Same", {"x"}, {"y"}).set_domain("com.example");
  auto& function = *text.model().add_functions();
  function.set_name("Same");
  function.set_domain("com.example");
  function.add_input("a");
  function.add_output("b");
  auto* used = function.add_opset_import();
  used->set_domain("ai.onnx");
  used->set_version(13);
  auto& inner = *function.add_node();
  inner.set_op_type("Relu");
  inner.add_input("a");
  inner.add_output("b");
  Diagnostics diagnostics;
  auto model = text.import(diagnostics);
  ASSERT_TRUE(model) << diagnostics.text();
  EXPECT_EQ(model->opset, 13);
  EXPECT_FALSE(is_foreign(model->graph.type(model->graph.outputs()[0].node)));
  text.model().add_opset_import()->set_version(17);
  model = text.import(diagnostics);
  ASSERT_TRUE(model) << diagnostics.text();
  EXPECT_TRUE(is_foreign(model->graph.type(model->graph.outputs()[0].node))) << "another version: it stays a function";
}

// An adaptation that needs a list takes the model's, so that equal constants are not made anew.
TEST(OnnxImportTest, AdaptationsTakeTheConstantsThatAreThere) {
  OnnxText text(11);
  text.input("x", {2, 3})
      .output("y")
      .output("z")
      .initializer("one", Tensor::of_ints(DType::Int64, {1}, std::vector<std::int64_t>{1}));
  add_ints(text.node("ReduceSum", {"x"}, {"y"}), "axes", {1});
  add_ints(text.node("ReduceMax", {"x"}, {"z"}), "axes", {1});
  Diagnostics diagnostics;
  auto model = text.import(diagnostics);
  ASSERT_TRUE(model) << diagnostics.text();
  const Graph& graph = model->graph;
  for (const GraphOutput& output : graph.outputs()) {
    EXPECT_EQ(graph.name(graph.operands(output.node)[1]), "one");
  }
}

// Before opset 12 no element type and no value of a mask is said that holds outside of training.
TEST(OnnxImportTest, EarlyMasksHaveNoMeaning) {
  for (std::int64_t opset : {7, 9, 10, 12}) {
    OnnxText text(opset);
    text.input("x", {2}).output("y").output("mask");
    text.node("Dropout", {"x"}, {"y", "mask"});
    Diagnostics diagnostics;
    auto model = text.import(diagnostics);
    ASSERT_TRUE(model) << diagnostics.text();
    EXPECT_EQ(is_foreign(model->graph.type(model->graph.outputs()[1].node)), opset < 12) << opset;
    OnnxText alone(opset);
    alone.input("x", {2}).output("y");
    alone.node("Dropout", {"x"}, {"y"});
    model = alone.import(diagnostics);
    ASSERT_TRUE(model) << diagnostics.text();
    EXPECT_FALSE(is_foreign(model->graph.type(model->graph.outputs()[0].node))) << opset;
  }
}

TEST(OnnxImportTest, FlagsAreZeroOrOne) {
  for (std::int64_t flag : {0, 1, 2, -1}) {
    OnnxText text;
    text.input("x", {2}).output("y");
    add_int(text.node("ReduceSum", {"x"}, {"y"}, "sum"), "keepdims", flag);
    bool fine = flag == 0 || flag == 1;
    EXPECT_EQ(text.errors().empty(), fine) << flag;
    if (!fine) {
      mentions(text.errors(), {"ReduceSum node 'sum'", "attribute 'keepdims' of ReduceSum must be 0 or 1"});
    }
  }
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
}

TEST(OnnxImportTest, InputsThatCannotBeAreRefused) {
  OnnxText huge;
  huge.input("x", {1000000000, 1000000000, 1000000000}).output("y");
  huge.node("Relu", {"x"}, {"y"});
  mentions(huge.errors(), {"input 'x'", "element count"});

  OnnxText grown;
  grown.input("x", {1000000000, 1}).input("z", {1, 1000000000}).input("u", {1000000000, 1, 1}).output("y");
  grown.node("Add", {"x", "z"}, {"t"});
  grown.node("Add", {"t", "u"}, {"y"}, "grow");
  mentions(grown.errors(), {"Add node giving 't'", "no element count"});
}

// `-1` says that a size is not known, as no size does; what has no known rank, or is no tensor, has a type of its own.
TEST(OnnxImportTest, TypesThatAreLeftOpenAreRead) {
  OnnxText text;
  text.input("x", {-1, 3}).input("s", {1}).input("r", {1}).output("y").output("z").output("u");
  text.graph().mutable_input(1)->mutable_type()->mutable_sequence_type();
  text.graph().mutable_input(2)->mutable_type()->mutable_tensor_type()->clear_shape();
  text.node("Relu", {"x"}, {"y"});
  text.node("SequenceLength", {"s"}, {"z"});
  text.node("Neg", {"r"}, {"u"});
  Diagnostics diagnostics;
  auto model = text.import(diagnostics);
  ASSERT_TRUE(model) << diagnostics.text();
  const Graph& graph = model->graph;
  EXPECT_EQ(graph.type(graph.outputs()[0].node).text(), "float32[x.0, 3]");
  EXPECT_EQ(graph.type(graph.inputs()[1]).text(), "sequence of untyped");
  EXPECT_EQ(graph.type(graph.inputs()[2]).text(), "float32 of unknown rank");
  EXPECT_TRUE(is_foreign(graph.type(graph.outputs()[2].node)));
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
  OnnxText newer(27);
  newer.input("x", {2}).output("y");
  newer.node("Relu", {"x"}, {"y"});
  mentions(newer.errors(), {"expected opset 1 to 26, found 27"});
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

// Fields that are newer than the library that parses them: what it does not know by name is not lost on the way.
void add_text_field(google::protobuf::Message& message, int number, const std::string& bytes) {
  message.GetReflection()->MutableUnknownFields(&message)->AddLengthDelimited(number, bytes);
}

onnx::FunctionProto& leaky(OnnxText& text, const std::string& overload, float otherwise) {
  auto& function = *text.model().add_functions();
  function.set_name("Leaky");
  function.set_domain("local");
  function.add_input("a");
  function.add_output("b");
  auto& node = *function.add_node();
  node.set_op_type("LeakyRelu");
  node.add_input("a");
  node.add_output("b");
  auto& slope = *node.add_attribute();
  slope.set_name("alpha");
  slope.set_ref_attr_name("slope");
  slope.set_type(onnx::AttributeProto::FLOAT);
  onnx::AttributeProto by_default;
  by_default.set_name("slope");
  by_default.set_type(onnx::AttributeProto::FLOAT);
  by_default.set_f(otherwise);
  add_text_field(function, 11, by_default.SerializeAsString());
  add_text_field(function, 13, overload);
  return function;
}

TEST(OnnxImportTest, FunctionsOfOneNameAreToldApartAndHaveDefaults) {
  OnnxText text(16);
  text.model().add_opset_import()->set_domain("local");
  leaky(text, "gentle", 0.5F);
  leaky(text, "steep", 0.25F);
  text.input("x", {2}).output("p").output("q").output("r");
  for (auto [overload, output] : {std::pair("gentle", "p"), std::pair("steep", "q"), std::pair("steep", "r")}) {
    auto& call = text.node("Leaky", {"x"}, {output});
    call.set_domain("local");
    add_text_field(call, 8, overload);
  }
  auto& given = *text.graph().mutable_node(2)->add_attribute();
  given.set_name("slope");
  given.set_type(onnx::AttributeProto::FLOAT);
  given.set_f(0.125F);
  Diagnostics diagnostics;
  auto model = text.import(diagnostics);
  ASSERT_TRUE(model) << diagnostics.text();
  std::vector<double> slopes;
  for (const GraphOutput& output : model->graph.outputs()) {
    const AttrValue* alpha = model->graph.attributes(output.node).find("alpha");
    ASSERT_NE(alpha, nullptr);
    slopes.push_back(double_of((*alpha->number())->value));
  }
  EXPECT_EQ(slopes, (std::vector<double>{0.5, 0.25, 0.125}));

  text.model().mutable_functions(0)->GetReflection()->MutableUnknownFields(text.model().mutable_functions(0))->Clear();
  add_text_field(*text.model().mutable_functions(0), 11, "\xff");
  mentions(text.errors(), {"Leaky", "by default"});
}

// Both say which version of ONNX they use, and the model does not.
TEST(OnnxImportTest, FunctionsOfTwoOpsetsAreNotOfOne) {
  OnnxText text;
  text.model().clear_opset_import();
  text.model().add_opset_import()->set_domain("local");
  text.input("x", {2, 2, 2}).output("y").output("z");
  for (auto [name, opset, output] : {std::tuple("Old", 11, "y"), std::tuple("New", 13, "z")}) {
    auto& function = *text.model().add_functions();
    function.set_name(name);
    function.set_domain("local");
    function.add_input("a");
    function.add_output("b");
    function.add_opset_import()->set_version(opset);
    auto& node = *function.add_node();
    node.set_op_type("Softmax");
    node.add_input("a");
    node.add_output("b");
    text.node(name, {"x"}, {output}).set_domain("local");
  }
  Diagnostics diagnostics;
  auto model = text.import(diagnostics);
  ASSERT_TRUE(model) << diagnostics.text();
  EXPECT_EQ(op_def(model->graph.op(model->graph.outputs()[0].node)).name, "softmax_11");
  EXPECT_TRUE(is_foreign(model->graph.type(model->graph.outputs()[1].node))) << "another version: it stays a function";
}

}  // namespace
}  // namespace vouch
