// The real models beside the project (../shared/data/models): each imports, gives its reference outputs, and comes back
// from export unchanged in meaning. Where the folder is absent these tests are skipped, not passed, and say so.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "graph/eval.h"
#include "io/file.h"
#include "io/onnx_export.h"
#include "io/onnx_import.h"
#include "io/tensor_file.h"

namespace vouch {
namespace {

namespace fs = std::filesystem;

const fs::path kModels = fs::path(VOUCH_ROOT) / ".." / "shared" / "data" / "models";

std::optional<std::vector<Tensor>> run(const Graph& graph, const std::vector<NamedTensor>& given, Diagnostics& diagnostics) {
  std::vector<Tensor> inputs;
  for (NodeId input : graph.inputs()) {
    for (const NamedTensor& tensor : given) {
      if (tensor.name == graph.name(input)) {
        inputs.push_back(tensor.tensor);
      }
    }
  }
  return eval_graph(graph, std::move(inputs), diagnostics);
}

// How far an output may be from its reference: 1e-4 of the largest value. ONNX Runtime computes a logistic as 0.5 plus a
// float32, so that small results are multiples of 2^-25 with an error of some such steps (objectness of yunet_320, at
// most 2e-4): these are compared in steps.
double allowed_error(const Tensor& expected) {
  constexpr double kStep = 0x1p-25;
  double scale = 0;
  bool stepped = true;
  for (std::int64_t i = 0; i < expected.count(); ++i) {
    double value = expected.double_at(i);
    scale = std::max(scale, std::abs(value));
    stepped = stepped && value == std::round(value / kStep) * kStep;
  }
  return stepped && scale > 0 && scale < 1e-3 ? 8 * kStep : 1e-4 * scale;
}

void expect_near(const Tensor& got, const Tensor& expected, const std::string& name) {
  ASSERT_EQ(got.extents(), expected.extents()) << name;
  ASSERT_EQ(got.dtype(), expected.dtype()) << name;
  double error = 0;
  for (std::int64_t i = 0; i < expected.count(); ++i) {
    double difference = std::abs(got.double_at(i) - expected.double_at(i));
    error = std::isnan(difference) ? INFINITY : std::max(error, difference);
  }
  EXPECT_LE(error, allowed_error(expected)) << name;
}

class ModelTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!fs::exists(kModels)) {
      GTEST_SKIP() << "not run: the models are not there, expected in " << kModels;
    }
    folder_ = kModels / GetParam();
    model_ = import_onnx((folder_ / "model.onnx").string(), diagnostics_);
    ASSERT_TRUE(model_) << diagnostics_.text();
    io_ = read_tensor_folder((folder_ / "io").string(), diagnostics_);
    ASSERT_TRUE(io_) << diagnostics_.text();
    ASSERT_EQ(io_->outputs.size(), model_->graph.outputs().size());
    io_->inputs.insert(io_->inputs.end(), model_->defaults.begin(), model_->defaults.end());
    options_.kept = model_->kept.get();
  }

  void expect_references(const Graph& graph, const std::vector<Tensor>& outputs) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      for (const NamedTensor& expected : io_->outputs) {
        if (expected.name == graph.outputs()[i].name) {
          expect_near(outputs[i], expected.tensor, expected.name);
        }
      }
    }
  }

  fs::path folder_;
  Diagnostics diagnostics_;
  std::optional<OnnxModel> model_;
  std::optional<TensorFolder> io_;
  OnnxWriteOptions options_;
};

TEST_P(ModelTest, GivesTheReferenceOutputsBeforeAndAfterExport) {
  const Graph& graph = model_->graph;
  auto outputs = run(graph, io_->inputs, diagnostics_);
  ASSERT_TRUE(outputs) << diagnostics_.text();
  expect_references(graph, *outputs);

  auto bytes = export_onnx(graph, model_->name, diagnostics_, options_);
  ASSERT_TRUE(bytes) << diagnostics_.text();
  EXPECT_EQ(export_onnx(graph, model_->name, diagnostics_, options_), bytes) << "equal graphs give equal bytes";
  auto again = import_onnx_bytes(*bytes, "exported.onnx", {}, diagnostics_);
  ASSERT_TRUE(again) << diagnostics_.text();
  ASSERT_EQ(again->graph.inputs().size(), graph.inputs().size());
  for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
    EXPECT_EQ(again->graph.name(again->graph.inputs()[i]), graph.name(graph.inputs()[i]));
    EXPECT_EQ(again->graph.type(again->graph.inputs()[i]), graph.type(graph.inputs()[i]));
  }
  auto repeated = run(again->graph, io_->inputs, diagnostics_);
  ASSERT_TRUE(repeated) << diagnostics_.text();
  for (std::size_t i = 0; i < outputs->size(); ++i) {
    EXPECT_EQ(again->graph.outputs()[i].name, graph.outputs()[i].name);
    EXPECT_TRUE((*repeated)[i] == (*outputs)[i]) << "the same bits: " << graph.outputs()[i].name;
  }
}

// Debian's python3-onnx knows opsets up to 17: newer models are checked in structure only.
constexpr const char* kCheck = R"(
import sys, onnx
model = onnx.load(sys.argv[1])
known = model.opset_import[0].version <= onnx.defs.onnx_opset_version()
if known:
    onnx.checker.check_model(model, full_check=True)
inputs = {i.name for i in model.graph.input}
names = [o for n in model.graph.node for o in n.output if o] + sorted(inputs) + [
    t.name for t in model.graph.initializer if t.name not in inputs]
assert len(names) == len(set(names)), 'a value is defined twice'
seen = {i.name for i in model.graph.input} | {t.name for t in model.graph.initializer}
for node in model.graph.node:
    assert all(i in seen for i in node.input if i), 'not sorted'
    seen |= set(node.output)
assert all(o.name in seen for o in model.graph.output)
)";

TEST_P(ModelTest, ExportIsAcceptedByTheChecker) {
  constexpr const char* kPython = "/usr/bin/python3";
  ASSERT_EQ(std::system((std::string(kPython) + " -c 'import onnx'").c_str()), 0)
      << "python3-onnx is not installed; it is needed for this test";
  fs::path path = fs::path(testing::TempDir()) / (std::string("vouch_") + GetParam() + std::to_string(::getpid()) + ".onnx");
  fs::path script = path.string() + ".py";
  ASSERT_TRUE(write_onnx(model_->graph, model_->name, path.string(), diagnostics_, options_)) << diagnostics_.text();
  ASSERT_TRUE(write_file(script.string(), kCheck, diagnostics_));
  EXPECT_EQ(std::system((std::string(kPython) + " " + script.string() + " " + path.string()).c_str()), 0);
  fs::remove(path);
  fs::remove(script);
}

INSTANTIATE_TEST_SUITE_P(Real, ModelTest,
                         testing::Values("mnist", "go1_policy", "autoencoder1d", "squeezenet", "shufflenet", "inception_v1_light",
                                         "yunet_320", "ppocr_cls", "tinyvit", "transformer", "t5_encoder", "gtcrn_simple"),
                         [](const auto& param) { return std::string(param.param); });

}  // namespace
}  // namespace vouch
