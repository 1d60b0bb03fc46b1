// What is read is written again: whatever no rule changed is what it was.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "graph/eval.h"
#include "graph/foreign.h"
#include "io/file.h"
#include "io/onnx_export.h"
#include "onnx_text.h"

namespace vouch {
namespace {

// The model as it is written after being read; an empty message, reported, where that fails.
onnx::ModelProto written(const OnnxText& text, OnnxWriteOptions options = {}) {
  Diagnostics diagnostics;
  onnx::ModelProto out;
  auto model = text.import(diagnostics);
  if (model) {
    options.kept = model->kept.get();
    auto bytes = export_onnx(model->graph, model->name, diagnostics, options);
    if (bytes) {
      parse_message(*bytes, out, "written", diagnostics);
    }
  }
  EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.text();
  return out;
}

std::vector<std::string> names(const google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>& values) {
  std::vector<std::string> out;
  std::transform(values.begin(), values.end(), std::back_inserter(out), [](const auto& value) { return value.name(); });
  return out;
}

TEST(OnnxKeepTest, WhoMadeAModelAndWhatItSaysOfItself) {
  OnnxText text(11);
  text.model().set_producer_name("trainer");
  text.model().set_producer_version("2.1");
  text.model().set_domain("org.example");
  text.model().set_model_version(42);
  text.model().set_doc_string("a model");
  text.model().add_metadata_props()->set_key("author");
  text.model().mutable_metadata_props(0)->set_value("somebody");
  text.graph().set_doc_string("a graph");
  text.input("x", {2}).output("y");
  text.graph().mutable_input(0)->set_doc_string("an input");
  text.node("Add", {"x", "w"}, {"y"}, "act").set_doc_string("a node");
  text.initializer("w", floats({}, {2}));
  text.graph().mutable_initializer(0)->set_doc_string("a weight");
  // metadata_props, which the library knows of models alone.
  auto with_metadata = [](google::protobuf::Message& message, int number, const std::string& value) {
    onnx::StringStringEntryProto entry;
    entry.set_key("note");
    entry.set_value(value);
    message.GetReflection()->MutableUnknownFields(&message)->AddLengthDelimited(number, entry.SerializeAsString());
  };
  with_metadata(*text.graph().mutable_node(0), 9, "of a node");
  with_metadata(*text.graph().mutable_initializer(0), 16, "of a weight");
  with_metadata(*text.graph().mutable_input(0), 4, "of an input");
  with_metadata(text.graph(), 16, "of a graph");
  onnx::ModelProto out = written(text);
  for (const google::protobuf::Message* message : std::initializer_list<const google::protobuf::Message*>{
           &out.graph(), &out.graph().node(0), &out.graph().initializer(0), &out.graph().input(0)}) {
    EXPECT_EQ(message->GetReflection()->GetUnknownFields(*message).field_count(), 1) << message->GetTypeName();
  }
  EXPECT_NE(out.graph().node(0).SerializeAsString().find("of a node"), std::string::npos);
  EXPECT_NE(out.graph().initializer(0).SerializeAsString().find("of a weight"), std::string::npos);
  EXPECT_EQ(out.graph().initializer(0).doc_string(), "a weight");
  EXPECT_EQ(out.producer_name(), "trainer");
  EXPECT_EQ(out.producer_version(), "2.1");
  EXPECT_EQ(out.domain(), "org.example");
  EXPECT_EQ(out.model_version(), 42);
  EXPECT_EQ(out.doc_string(), "a model");
  ASSERT_EQ(out.metadata_props_size(), 1);
  EXPECT_EQ(out.metadata_props(0).value(), "somebody");
  EXPECT_EQ(out.graph().name(), "test");
  EXPECT_EQ(out.graph().doc_string(), "a graph");
  EXPECT_EQ(out.graph().input(0).doc_string(), "an input");
  EXPECT_EQ(out.graph().node(0).doc_string(), "a node");
  EXPECT_EQ(out.opset_import(0).version(), 11);
  EXPECT_EQ(out.ir_version(), 7);
}

TEST(OnnxKeepTest, NamesOfNodesAndOfTheirValues) {
  OnnxText text;
  text.input("x", {2, 4}).output("y");
  text.node("Relu", {"x"}, {"value"}, "node");
  add_int(text.node("Split", {"value"}, {"left", "right"}, "halves"), "axis", 1);
  text.node("Add", {"left", "right"}, {"y"}, "sum");
  onnx::ModelProto out = written(text);
  ASSERT_EQ(out.graph().node_size(), 3);
  EXPECT_EQ(out.graph().node(0).name(), "node");
  EXPECT_EQ(out.graph().node(0).output(0), "value");
  EXPECT_EQ(out.graph().node(1).name(), "halves");
  EXPECT_EQ(out.graph().node(1).output(1), "right");
  EXPECT_EQ(out.graph().node(2).name(), "sum");
}

// Results that nobody reads keep their names, and such as were left out are left out.
TEST(OnnxKeepTest, NamesOfUnreadResults) {
  OnnxText text(12);
  text.input("x", {2, 6}).output("y").output("mask");
  add_int(text.node("Split", {"x"}, {"first", "y", "last"}), "axis", 1);
  text.node("Dropout", {"x"}, {"kept", "mask"});
  onnx::ModelProto out = written(text);
  ASSERT_EQ(out.graph().node_size(), 2);
  EXPECT_EQ(out.graph().node(0).output(0), "first");
  EXPECT_EQ(out.graph().node(0).output(2), "last");
  EXPECT_EQ(out.graph().node(1).output(0), "kept");
}

TEST(OnnxKeepTest, ResultsThatAreLeftOut) {
  OnnxText text;
  text.input("x", {3, 1, 2})
      .output("h")
      .initializer("w", Tensor(DType::Float32, {1, 4, 2}))
      .initializer("r", Tensor(DType::Float32, {1, 4, 4}));
  add_int(text.node("RNN", {"x", "w", "r"}, {"", "h"}), "hidden_size", 4);
  onnx::ModelProto out = written(text);
  ASSERT_EQ(out.graph().node(0).output_size(), 2);
  EXPECT_EQ(out.graph().node(0).output(0), "");
  EXPECT_EQ(out.graph().node(0).output(1), "h");
  EXPECT_EQ(out.graph().node(0).name(), "h");
}

TEST(OnnxKeepTest, NamesOfNestedGraphs) {
  for (const char* name : {"yes", ""}) {
    OnnxText text;
    text.input("x", {2}).input("c", {}, onnx::TensorProto::BOOL).output("y");
    auto& node = text.node("If", {"c"}, {"y"});
    for (const char* branch : {"then_branch", "else_branch"}) {
      auto* attribute = node.add_attribute();
      attribute->set_name(branch);
      attribute->set_type(onnx::AttributeProto::GRAPH);
      attribute->mutable_g()->set_name(name);
      attribute->mutable_g()->add_output()->set_name(branch);
      auto* inner = attribute->mutable_g()->add_node();
      inner->set_op_type(branch[0] == 't' ? "Relu" : "Neg");
      inner->add_input("x");
      inner->add_output(branch);
    }
    onnx::ModelProto out = written(text);
    ASSERT_EQ(out.graph().node(0).attribute_size(), 2);
    for (const auto& attribute : out.graph().node(0).attribute()) {
      EXPECT_EQ(attribute.g().name(), *name == 0 ? "y_" + attribute.name() : name);
    }
  }
}

// Its imports are what they were: none is added for operators that it has not.
TEST(OnnxKeepTest, ImportsOfModelsWithoutOperatorsOfOnnx) {
  OnnxText text;
  text.model().mutable_opset_import(0)->set_domain("com.example");
  text.input("x", {2}).output("y");
  text.node("Frobnicate", {"x"}, {"y"}).set_domain("com.example");
  onnx::ModelProto out = written(text);
  ASSERT_EQ(out.opset_import_size(), 1);
  EXPECT_EQ(out.opset_import(0).domain(), "com.example");
  EXPECT_EQ(out.opset_import(0).version(), 13);
}

// Axes that are counted from the end stay so where the version allows it.
TEST(OnnxKeepTest, AxesAsTheyAreCounted) {
  for (std::int64_t opset : {9, 11}) {
    OnnxText text(opset);
    text.input("x", {2, 3}).output("y");
    add_ints(text.node("ReduceMean", {"x"}, {"y"}), "axes", {-1});
    onnx::ModelProto out = written(text);
    for (const auto& attribute : out.graph().node(0).attribute()) {
      EXPECT_TRUE(attribute.name() != "axes" || attribute.ints(0) == (opset == 9 ? 1 : -1)) << opset;
    }
  }
}

TEST(OnnxKeepTest, OutputsThatAreInputsAndOutputsListedTwice) {
  OnnxText text;
  text.input("x", {2}).output("x").output("z").output("z");
  text.node("Relu", {"x"}, {"z"});
  onnx::ModelProto out = written(text);
  EXPECT_EQ(names(out.graph().output()), (std::vector<std::string>{"x", "z", "z"}));
  EXPECT_EQ(out.graph().node_size(), 1);
}

TEST(OnnxKeepTest, OverridableInitialisersStayInputs) {
  OnnxText text;
  text.input("x", {2}).input("w", {2}).output("y").initializer("w", floats({2}, {1, 2}));
  text.node("Mul", {"x", "w"}, {"y"});
  onnx::ModelProto out = written(text);
  EXPECT_EQ(names(out.graph().input()), (std::vector<std::string>{"x", "w"}));
  ASSERT_EQ(out.graph().initializer_size(), 1);
  EXPECT_EQ(out.graph().initializer(0).name(), "w");
}

// A node called like one that the graph would name itself.
TEST(OnnxKeepTest, NewNamesDifferFromAllThatAreThere) {
  OnnxText text;
  text.input("x", {2}).output("y").output("t").initializer("w", floats({2}, {1, 2}));
  text.node("Mul", {"x", "w"}, {"Mul_5"}, "Mul_6");
  text.node("Add", {"Mul_5", "x"}, {"y"}, "Mul_5");
  text.node("Neg", {"y"}, {"t"}, "Mul_6");
  onnx::ModelProto out = written(text);
  std::set<std::string> nodes;
  for (const auto& node : out.graph().node()) {
    EXPECT_TRUE(nodes.insert(node.name()).second) << node.name();
  }
}

TEST(OnnxKeepTest, TheModelsOwnOpsetAndItsForms) {
  OnnxText text(9);
  text.input("x", {1, 3, 4, 4}).output("y").output("s");
  auto& clip = text.node("Clip", {"x"}, {"c"}, "clip");
  add_float(clip, "min", 0);
  add_float(clip, "max", 6);
  auto& pad = text.node("Pad", {"c"}, {"p"}, "pad");
  add_ints(pad, "pads", {0, 0, 1, 1, 0, 0, 1, 1});
  auto& slice = text.node("Slice", {"p"}, {"q"}, "cut");
  add_ints(slice, "starts", {1});
  add_ints(slice, "ends", {5});
  add_ints(slice, "axes", {2});
  auto& mean = text.node("ReduceMean", {"q"}, {"m"}, "mean");
  add_ints(mean, "axes", {2, 3});
  add_int(mean, "keepdims", 0);
  add_int(text.node("Softmax", {"m"}, {"s"}, "soft"), "axis", 1);
  auto& unsqueeze = text.node("Unsqueeze", {"m"}, {"y"}, "front");
  add_ints(unsqueeze, "axes", {0});
  onnx::ModelProto out = written(text);
  EXPECT_EQ(out.opset_import(0).version(), 9);
  ASSERT_EQ(out.graph().node_size(), 6);
  for (const auto& node : out.graph().node()) {
    EXPECT_EQ(node.input_size(), 1) << node.name();
  }
  Diagnostics diagnostics;
  auto again = import_onnx_bytes(message_bytes(out), "again.onnx", {}, diagnostics);
  auto first = text.import(diagnostics);
  ASSERT_TRUE(again && first) << diagnostics.text();
  std::vector<double> numbers(48);
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    numbers[k] = static_cast<double>(k) - 20;
  }
  EXPECT_EQ(eval_graph(again->graph, {floats({1, 3, 4, 4}, numbers)}, diagnostics),
            eval_graph(first->graph, {floats({1, 3, 4, 4}, numbers)}, diagnostics));
  EXPECT_EQ(written(text, {nullptr, 13, false}).opset_import(0).version(), 13);
}

// A model that has an operator before ONNX did keeps it; one that has it since then is not written into a version without it.
TEST(OnnxKeepTest, AnOperatorIsWrittenIntoNoVersionThatLacksIt) {
  auto errors = [](std::int64_t read, std::int64_t asked) {
    OnnxText text(read);
    text.input("x", {2, 3}).output("y");
    text.node("LayerNormalization", {"x", "s"}, {"y"}, "norm");
    text.initializer("s", floats({3}, {1, 2, 3}));
    Diagnostics diagnostics;
    auto model = text.import(diagnostics);
    EXPECT_TRUE(model) << diagnostics.text();
    if (model) {
      bool written = export_onnx(model->graph, model->name, diagnostics, {model->kept.get(), asked, false}).has_value();
      EXPECT_NE(written, diagnostics.has_errors());
    }
    return diagnostics.text();
  };
  EXPECT_NE(errors(17, 16).find("node 'norm' needs opset 17"), std::string::npos);
  EXPECT_EQ(errors(17, 17), "");
  EXPECT_EQ(errors(13, 13), "");
}

// --- foreign nodes

OnnxText foreign_model() {
  OnnxText text(21);
  text.model().set_ir_version(10);
  text.input("x", {2}).output("y").output("n").initializer("w", floats({2}, {1, 2}));
  auto* import = text.model().add_opset_import();
  import->set_domain("com.acme");
  import->set_version(3);
  text.node("Neg", {"x"}, {"negated"}, "before");
  onnx::NodeProto& node = text.node("Frobnicate", {"negated", "", "w"}, {"a", "", "b"}, "frob");
  node.set_domain("com.acme");
  node.set_doc_string("what it does");
  add_float(node, "strength", 0.5F);
  OnnxText::shape(*text.graph().add_value_info(), "a", {2});
  text.node("Relu", {"a"}, {"y"}, "after");
  text.node("Neg", {"b"}, {"n"}, "untyped");
  return text;
}

TEST(OnnxKeepTest, ForeignNodesAreWrittenAsTheyWere) {
  OnnxText text = foreign_model();
  onnx::ModelProto out = written(text);
  ASSERT_EQ(out.graph().node_size(), 4);
  EXPECT_EQ(message_bytes(out.graph().node(1)), message_bytes(text.graph().node(1)));
  EXPECT_EQ(message_bytes(out.graph().node(3)), message_bytes(text.graph().node(3)));
  EXPECT_EQ(out.opset_import(0).version(), 21);
  EXPECT_EQ(out.opset_import(1).domain(), "com.acme");
  EXPECT_EQ(out.opset_import(1).version(), 3);
  Diagnostics diagnostics;
  auto model = text.import(diagnostics);
  ASSERT_TRUE(model) << diagnostics.text();
  EXPECT_EQ(model->graph.type(model->graph.outputs()[0].node).text(), "float32[2]") << "typed by what the model says";
}

TEST(OnnxKeepTest, ForeignNodesReadWhatTheirSubgraphsCapture) {
  OnnxText text(21);
  text.input("x", {2}).output("y");
  text.node("Neg", {"x"}, {"outside"}, "captured");
  onnx::NodeProto& node = text.node("Apply", {}, {"y"}, "apply");
  node.set_domain("com.acme");
  auto* body = node.add_attribute();
  body->set_name("body");
  body->set_type(onnx::AttributeProto::GRAPH);
  auto* inner = body->mutable_g()->add_node();
  inner->set_op_type("Exp");
  inner->add_input("outside");
  inner->add_output("inside");
  body->mutable_g()->add_output()->set_name("inside");
  onnx::ModelProto out = written(text);
  ASSERT_EQ(out.graph().node_size(), 2) << "what only a subgraph reads is needed";
  EXPECT_EQ(out.graph().node(1).attribute(0).g().node(0).input(0), "outside");
}

TEST(OnnxKeepTest, ElementTypesWithoutArithmeticAreStored) {
  OnnxText text(21);
  text.input("x", {2}).output("y");
  auto& tensor = *text.graph().add_initializer();
  tensor.set_name("w");
  tensor.set_data_type(23);  // float4e2m1: two to a byte
  tensor.add_dims(3);
  tensor.set_raw_data(std::string("\x21\x03", 2));
  text.node("Cast", {"w"}, {"v"}, "widen");
  add_int(*text.graph().mutable_node(0), "to", 1);
  text.node("Add", {"x", "v"}, {"y"});
  onnx::ModelProto out = written(text);
  ASSERT_EQ(out.graph().initializer_size(), 1);
  EXPECT_EQ(message_bytes(out.graph().initializer(0)), message_bytes(tensor));
}

// --- files

class FolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("vouch_keep_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
  Diagnostics diagnostics_;
};

TEST_F(FolderTest, WeightsLieBesideTheModelAndReplaceNoOthers) {
  std::vector<double> numbers(1000, 0.5);
  OnnxText text;
  text.input("x", {1000}).output("y").initializer("w", floats({1000}, numbers));
  text.node("Mul", {"x", "w"}, {"y"});
  std::string path = (folder_ / "m.onnx").string();
  auto model = text.import(diagnostics_);
  ASSERT_TRUE(model);
  ASSERT_TRUE(write_onnx(model->graph, "m", path, diagnostics_, {model->kept.get(), {}, true})) << diagnostics_.text();
  EXPECT_EQ(std::filesystem::file_size(folder_ / "m.onnx.data"), 4000U);
  auto again = import_onnx(path, diagnostics_);
  ASSERT_TRUE(again) << diagnostics_.text();
  auto before = read_file((folder_ / "m.onnx.data").string(), diagnostics_);
  ASSERT_TRUE(write_onnx(again->graph, "m", path, diagnostics_, {again->kept.get(), {}, true})) << diagnostics_.text();
  EXPECT_EQ(read_file((folder_ / "m.onnx.data").string(), diagnostics_), before);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "m.onnx.1.data"));
  auto third = import_onnx(path, diagnostics_);
  ASSERT_TRUE(third) << diagnostics_.text();
  std::vector<Tensor> input{floats({1000}, numbers)};
  EXPECT_EQ(eval_graph(third->graph, input, diagnostics_), eval_graph(model->graph, input, diagnostics_));
}

TEST_F(FolderTest, LinksStayLinksAndDevicesAreWrittenInto) {
  std::string target = (folder_ / "real").string();
  std::string link = (folder_ / "link").string();
  std::filesystem::create_symlink("real", link);
  ASSERT_TRUE(write_file(link, "first", diagnostics_)) << diagnostics_.text();
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(read_file(target, diagnostics_), "first");
  EXPECT_TRUE(write_file("/dev/null", "lost", diagnostics_)) << diagnostics_.text();
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_FALSE(write_file("/dev/full", "too much", diagnostics_));
  std::string circle = (folder_ / "circle").string();
  std::filesystem::create_symlink("circle", circle);
  EXPECT_FALSE(write_file(circle, "nowhere", diagnostics_));
  EXPECT_TRUE(std::filesystem::is_symlink(circle));
}

}  // namespace
}  // namespace vouch
