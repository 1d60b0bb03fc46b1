// ONNX's operator conformance suite (Debian's libonnx-testdata): every model is imported, run on its inputs and compared
// with its reference outputs.
//
//   conformance --list FILE [--operators FILE] [--data DIR] [--json FILE] [--update] [CASE…]
//
// Each case has one verdict: `pass`; `FAIL: why`; or the reason why Vouch does not claim it (an operator that the table
// lacks, an element type, values that are no tensors, training, randomness). The list holds the verdict of every case;
// a FAIL or a difference from the list is an error; so is an operator that passes fewer cases than `vouch verify --trust`
// says. `--update` writes the list, and the counts by operator, anew; read the diff.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "graph/eval.h"
#include "graph/foreign.h"
#include "io/file.h"
#include "io/onnx_adapt.h"
#include "io/onnx_evaluate.h"
#include "io/onnx_import.h"
#include "io/onnx_proto.h"
#include "io/onnx_tensor.h"
#include "io/tensor_file.h"
#include "property/conformance_counts.h"

namespace vouch {
namespace {

namespace fs = std::filesystem;

// --- why a case is outside of what Vouch claims

std::optional<std::string> type_reason(const onnx::TypeProto& type) {
  if (!type.has_tensor_type()) {
    return "values that are no tensors";
  }
  int element = type.tensor_type().elem_type();
  return dtype_of_onnx(element) ? std::nullopt : std::optional("element type " + onnx_type_name(element));
}

bool has_true(const std::map<std::string, Tensor>& known, const std::string& name) {
  auto found = known.find(name);
  return found != known.end() && found->second.count() == 1 && found->second.double_at(0) != 0;
}

// Dropout that drops is random; of an optimiser the suite's data were made with a number that its model does not have.
std::optional<std::string> training_reason(const onnx::NodeProto& node, const std::map<std::string, Tensor>& known) {
  if (node.op_type() == "Dropout" && node.input_size() > 2 && has_true(known, node.input(2)) &&
      (node.input(1).empty() || has_true(known, node.input(1)))) {
    return "random: Dropout in training mode";
  }
  bool with_epsilon =
      std::any_of(node.attribute().begin(), node.attribute().end(), [](const auto& a) { return a.name() == "epsilon"; });
  if (node.op_type() == "Adam" && !with_epsilon) {
    return "data of epsilon 0.01, which the node leaves out and whose default is 1e-6";
  }
  return std::nullopt;
}

// An operator that is left alone, but has a value.
bool is_evaluated(const std::string& op) {
  std::vector<std::string_view> known = evaluated_onnx_operators();
  return std::find(known.begin(), known.end(), op) != known.end();
}

std::optional<std::string> operator_reason(const onnx::GraphProto& graph, const std::map<std::string, Tensor>& known) {
  std::set<std::string> missing;
  for (const auto& node : graph.node()) {
    bool standard = node.domain().empty() || node.domain() == "ai.onnx";
    if (!standard && !is_evaluated(node.op_type())) {
      missing.insert(node.domain() + "." + node.op_type());
    } else if (standard && !is_importable(node.op_type()) && !is_evaluated(node.op_type())) {
      missing.insert(node.op_type());
    } else if (node.op_type() == "Scan" && node.input_size() > 0 && node.input(0).empty()) {
      return "operator Scan of opset 8 (a batch, sequence_lens)";
    } else if (auto reason = training_reason(node, known)) {
      return reason;
    }
    for (const auto& attribute : node.attribute()) {
      if (attribute.name() == "to" && !dtype_of_onnx(static_cast<int>(attribute.i()))) {
        return "element type " + onnx_type_name(static_cast<int>(attribute.i()));
      }
    }
  }
  return missing.empty() ? std::nullopt : std::optional(fmt::format("operator {}", fmt::join(missing, ", ")));
}

std::optional<std::string> reason_outside(const onnx::GraphProto& graph, const std::map<std::string, Tensor>& known) {
  if (auto reason = operator_reason(graph, known)) {
    return reason;
  }
  for (const auto* values : {&graph.input(), &graph.output()}) {
    for (const auto& value : *values) {
      if (auto reason = type_reason(value.type())) {
        return reason;
      }
    }
  }
  return std::nullopt;
}

// --- comparison: |a - b| <= 1e-7 + 1e-3 |b| as in ONNX's own runner; integers and bool exactly; bfloat16 within its
// last bit, since the suite cuts bits off where rounding is to nearest

bool near(double got, double expected, DType dtype) {
  if (std::isnan(expected) || std::isinf(expected)) {
    return std::isnan(expected) ? std::isnan(got) : got == expected;
  }
  return std::abs(got - expected) <= 1e-7 + (dtype == DType::BFloat16 ? 0x1p-7 : 1e-3) * std::abs(expected);
}

std::optional<std::string> difference(const Tensor& got, const Tensor& expected) {
  if (got.dtype() != expected.dtype() || got.extents() != expected.extents()) {
    return fmt::format("expected {}[{}], got {}[{}]", dtype_name(expected.dtype()), fmt::join(expected.extents(), ","),
                       dtype_name(got.dtype()), fmt::join(got.extents(), ","));
  }
  for (std::int64_t i = 0; i < got.count(); ++i) {
    bool same =
        is_float(got.dtype()) ? near(got.double_at(i), expected.double_at(i), got.dtype()) : got.int_at(i) == expected.int_at(i);
    if (!same) {
      return fmt::format("element {}: expected {}, got {}", i, expected.double_at(i), got.double_at(i));
    }
  }
  return std::nullopt;
}

// --- one case

struct DataSet {
  std::vector<NamedTensor> inputs;
  std::vector<NamedTensor> outputs;
};

// The suite stores bfloat16 as the uint16 of its bits.
Tensor as_declared(const Tensor& tensor, const onnx::ValueInfoProto& declared) {
  bool bits = declared.type().tensor_type().elem_type() == onnx::TensorProto::BFLOAT16 && tensor.dtype() == DType::UInt16;
  return bits ? Tensor(DType::BFloat16, tensor.extents(), {tensor.bytes().begin(), tensor.bytes().end()}) : tensor;
}

// `PREFIX0.pb`, `PREFIX1.pb`, … as far as there are values.
std::optional<std::vector<NamedTensor>> read_values(const fs::path& folder, const std::string& prefix,
                                                    const std::vector<const onnx::ValueInfoProto*>& values,
                                                    Diagnostics& diagnostics) {
  std::vector<NamedTensor> out;
  for (const auto* value : values) {
    fs::path path = folder / fmt::format("{}{}.pb", prefix, out.size());
    if (!fs::exists(path)) {
      break;
    }
    auto tensor = read_tensor(path.string(), diagnostics);
    if (!tensor) {
      return std::nullopt;
    }
    out.push_back({value->name(), as_declared(tensor->tensor, *value)});
  }
  return out;
}

// What a user must feed: inputs that no initialiser gives.
std::vector<const onnx::ValueInfoProto*> fed_inputs(const onnx::GraphProto& graph) {
  std::set<std::string> given;
  for (const auto& tensor : graph.initializer()) {
    given.insert(tensor.name());
  }
  std::vector<const onnx::ValueInfoProto*> out;
  for (const auto& input : graph.input()) {
    if (given.count(input.name()) == 0) {
      out.push_back(&input);
    }
  }
  return out;
}

std::optional<DataSet> read_data(const fs::path& folder, const onnx::GraphProto& graph, Diagnostics& diagnostics) {
  std::vector<const onnx::ValueInfoProto*> results;
  for (const auto& output : graph.output()) {
    results.push_back(&output);
  }
  auto inputs = read_values(folder, "input_", fed_inputs(graph), diagnostics);
  auto outputs = read_values(folder, "output_", results, diagnostics);
  return inputs && outputs ? std::optional(DataSet{std::move(*inputs), std::move(*outputs)}) : std::nullopt;
}

std::map<std::string, Tensor> known_values(const onnx::GraphProto& graph, const std::vector<NamedTensor>& inputs) {
  std::map<std::string, Tensor> known;
  for (const NamedTensor& input : inputs) {
    known.emplace(input.name, input.tensor);
  }
  Diagnostics ignored;
  for (const auto& tensor : graph.initializer()) {
    if (auto value = tensor_of_proto(tensor, {}, ignored)) {
      known.emplace(tensor.name(), std::move(*value));
    }
  }
  for (const auto& node : graph.node()) {
    if (node.op_type() == "Constant" && node.attribute_size() == 1 && node.attribute(0).has_t()) {
      if (auto value = tensor_of_proto(node.attribute(0).t(), {}, ignored)) {
        known.emplace(node.output(0), std::move(*value));
      }
    }
  }
  return known;
}

std::string first_line(const Diagnostics& diagnostics) {
  return diagnostics.all().empty() ? std::string("no reason given")
                                   : diagnostics.all()[0].place + ": " + diagnostics.all()[0].message;
}

struct Verdict {
  std::string text;
  bool fixed_inputs = false;             // values of integer inputs had to be known for typing
  std::set<std::string> operators = {};  // of the table, that were evaluated
};

// Calls whose types depend on data stay as they are, and have no value.
bool has_open_call(const Graph& graph) {
  for (std::size_t id = 0; id < graph.id_limit(); ++id) {
    auto node = static_cast<NodeId>(id);
    if (graph.kind(node) == NodeKind::Call && graph.op(node) == foreign_op() &&
        !is_evaluated(foreign_call(graph.attributes(node)).op)) {
      return true;
    }
  }
  return false;
}

std::set<std::string> operators_of(const Graph& graph) {
  std::set<std::string> out;
  for (std::size_t id = 0; id < graph.id_limit(); ++id) {
    auto node = static_cast<NodeId>(id);
    if (graph.kind(node) == NodeKind::Call && graph.op(node) != foreign_op()) {
      out.emplace(op_def(graph.op(node)).name);
    }
  }
  return out;
}

class Case {
 public:
  explicit Case(fs::path folder) : folder_(std::move(folder)) {}

  Verdict judge() {
    std::string path = (folder_ / "model.onnx").string();
    auto bytes = read_file(path, diagnostics_);
    if (!bytes || !parse_message(*bytes, proto_, path, diagnostics_)) {
      return {"FAIL: " + first_line(diagnostics_)};
    }
    bytes_ = std::move(*bytes);
    Verdict verdict{"FAIL: no data"};
    for (std::size_t set = 0; fs::exists(folder_ / fmt::format("test_data_set_{}", set)); ++set) {
      verdict = judge_set(folder_ / fmt::format("test_data_set_{}", set));
      if (verdict.text != "pass") {
        break;
      }
    }
    return verdict;
  }

 private:
  Verdict judge_set(const fs::path& folder) {
    if (auto reason = reason_outside(proto_.graph(), {})) {
      return {*reason};
    }
    auto data = read_data(folder, proto_.graph(), diagnostics_);
    if (!data) {
      return {"FAIL: " + first_line(diagnostics_)};
    }
    if (auto input = misfit(data->inputs)) {
      return {"data unlike the model's input " + *input};
    }
    if (auto reason = reason_outside(proto_.graph(), known_values(proto_.graph(), data->inputs))) {
      return {*reason};
    }
    Verdict verdict;
    auto model = import_model(data->inputs, verdict.fixed_inputs);
    verdict.operators = model ? operators_of(model->graph) : std::set<std::string>();
    verdict.text = model ? run(*model, *data) : "FAIL: " + first_line(diagnostics_);
    return verdict;
  }

  // The first input whose data has other sizes than the model declares.
  std::optional<std::string> misfit(const std::vector<NamedTensor>& data) const {
    std::vector<const onnx::ValueInfoProto*> declared = fed_inputs(proto_.graph());
    for (std::size_t i = 0; i < data.size(); ++i) {
      const auto& shape = declared[i]->type().tensor_type().shape();
      bool fits = static_cast<std::size_t>(shape.dim_size()) == data[i].tensor.rank();
      for (int axis = 0; fits && axis < shape.dim_size(); ++axis) {
        std::int64_t size = shape.dim(axis).dim_value();
        fits = size <= 0 || size == data[i].tensor.extents()[static_cast<std::size_t>(axis)];
      }
      if (!fits) {
        return data[i].name;
      }
    }
    return std::nullopt;
  }

  // Models of one operator may feed what shapes depend on (axes, target sizes, scales): then inputs of integers, and
  // short lists of floats, are fixed.
  std::optional<OnnxModel> import_model(const std::vector<NamedTensor>& inputs, bool& fixed) {
    auto model = import_onnx_bytes(bytes_, "model.onnx", folder_.string(), diagnostics_);
    if (model && !has_open_call(model->graph)) {
      return model;
    }
    OnnxOptions options;
    std::copy_if(inputs.begin(), inputs.end(), std::back_inserter(options.fixed_inputs), [](const NamedTensor& input) {
      return !is_float(input.tensor.dtype()) || (input.tensor.rank() <= 1 && input.tensor.count() <= 16);
    });
    fixed = !options.fixed_inputs.empty();
    diagnostics_ = {};
    return import_onnx_bytes(bytes_, "model.onnx", folder_.string(), diagnostics_, options);
  }

  std::string run(const OnnxModel& model, const DataSet& data) {
    std::vector<Tensor> inputs;
    for (NodeId input : model.graph.inputs()) {
      auto found = std::find_if(data.inputs.begin(), data.inputs.end(),
                                [&](const NamedTensor& t) { return t.name == model.graph.name(input); });
      if (found == data.inputs.end()) {
        return fmt::format("FAIL: no data for input '{}'", model.graph.name(input));
      }
      inputs.push_back(found->tensor);
    }
    RunOptions options;
    options.foreign = evaluate_onnx;
    auto outputs = eval_graph(model.graph, std::move(inputs), diagnostics_, options);
    if (!outputs) {
      return "FAIL: " + first_line(diagnostics_);
    }
    for (std::size_t i = 0; i < outputs->size() && i < data.outputs.size(); ++i) {
      if (auto wrong = difference((*outputs)[i], data.outputs[i].tensor)) {
        return fmt::format("FAIL: output {}: {}", i, *wrong);
      }
    }
    return data.outputs.empty() ? "FAIL: there is nothing to compare with" : "pass";
  }

  fs::path folder_;
  onnx::ModelProto proto_;
  std::string bytes_;
  Diagnostics diagnostics_;
};

// --- the suite

using Verdicts = std::map<std::string, Verdict>;

Verdicts judge_all(const std::string& data, const std::vector<std::string>& only) {
  Verdicts verdicts;
  for (const char* group : {"node", "pytorch-converted", "pytorch-operator", "simple"}) {
    std::error_code failure;
    for (fs::directory_iterator at(fs::path(data) / group, failure), end; !failure && at != end; at.increment(failure)) {
      std::string name = fmt::format("{}/{}", group, at->path().filename().string());
      if (only.empty() || std::find(only.begin(), only.end(), name) != only.end()) {
        verdicts.emplace(name, Case(at->path()).judge());
      }
    }
  }
  return verdicts;
}

std::map<std::string, std::string> read_list(const std::string& path) {
  Diagnostics ignored;
  std::istringstream lines(read_file(path, ignored).value_or(std::string()));
  std::map<std::string, std::string> out;
  for (std::string line; std::getline(lines, line);) {
    if (auto cut = line.find(": "); cut != std::string::npos && line[0] != '#') {
      out.emplace(line.substr(0, cut), line.substr(cut + 2));
    }
  }
  return out;
}

std::string list_text(const Verdicts& verdicts) {
  std::string out = "# The verdict of each conformance case; written by `conformance --update`.\n";
  for (const auto& [name, verdict] : verdicts) {
    out += fmt::format("{}: {}\n", name, verdict.text);
  }
  return out;
}

PassedCases passed_by_operator(const Verdicts& verdicts) {
  PassedCases passed;
  for (const auto& [name, verdict] : verdicts) {
    for (const std::string& op : verdict.text == "pass" ? verdict.operators : std::set<std::string>()) {
      ++passed[op];
    }
  }
  return passed;
}

// Reasons without their particulars: `operator`, `element type`, …
std::string reason_class(const std::string& verdict) {
  for (const char* kind : {"operator", "element type", "random", "training", "data unlike the model"}) {
    if (verdict.rfind(kind, 0) == 0) {
      return kind;
    }
  }
  return verdict.rfind("FAIL", 0) == 0 ? "fail" : verdict;
}

std::string counts_text(const std::map<std::string, std::size_t>& counts) {
  std::string out;
  for (const auto& [name, count] : counts) {
    out += fmt::format("{}\"{}\": {}", out.empty() ? "{" : ", ", name, count);
  }
  return out.empty() ? "{}" : out + "}";
}

std::string summary_text(const Verdicts& verdicts) {
  std::map<std::string, std::size_t> classes;
  std::map<std::string, std::size_t> operators;
  std::map<std::string, std::map<std::string, std::size_t>> groups;
  std::size_t fixed = 0;
  for (const auto& [name, verdict] : verdicts) {
    ++classes[reason_class(verdict.text)];
    ++groups[name.substr(0, name.find('/'))][verdict.text == "pass" ? "pass" : "not"];
    if (reason_class(verdict.text) == "operator") {
      ++operators[verdict.text.substr(sizeof "operator")];
    }
    fixed += verdict.fixed_inputs && verdict.text == "pass";
  }
  std::string by_group;
  for (const auto& [group, counts] : groups) {
    by_group += fmt::format("{}\"{}\": {}", by_group.empty() ? "" : ", ", group, counts_text(counts));
  }
  return fmt::format(
      "{{\n  \"cases\": {},\n  \"verdicts\": {},\n  \"passed_with_fixed_inputs\": {},\n  \"groups\": {{{}}},\n"
      "  \"missing_operators\": {}\n}}\n",
      verdicts.size(), counts_text(classes), fixed, by_group, counts_text(operators));
}

// How many verdicts are failures or differ from the list; each is printed.
std::size_t compare(const Verdicts& verdicts, const std::map<std::string, std::string>& list, bool whole) {
  std::size_t wrong = 0;
  for (const auto& [name, verdict] : verdicts) {
    auto listed = list.find(name);
    bool fails = verdict.text.rfind("FAIL", 0) == 0;
    bool differs = whole && (listed == list.end() || listed->second != verdict.text);
    if (fails || differs) {
      ++wrong;
      fmt::print("{}: {}{}\n", name, verdict.text,
                 !differs ? "" : fmt::format("   (listed: {})", listed == list.end() ? "not" : listed->second));
    }
  }
  for (const auto& [name, verdict] : list) {
    if (whole && verdicts.count(name) == 0) {
      ++wrong;
      fmt::print("{}: listed, but not in the suite\n", name);
    }
  }
  return wrong;
}

}  // namespace
}  // namespace vouch

int main(int argc, char** argv) {
  using namespace vouch;
  CLI::App app("Runs ONNX's operator conformance suite.");
  std::string data = "/usr/share/libonnx-testdata/data";
  std::string list;
  std::string operators;
  std::string json;
  bool update = false;
  std::vector<std::string> only;
  app.add_option("--list", list, "the committed verdicts")->required();
  app.add_option("--operators", operators, "the counts by operator in C++, which --update writes anew");
  app.add_option("--data", data, "the suite's folder");
  app.add_option("--json", json, "where to write the summary");
  app.add_flag("--update", update, "write the list anew");
  app.add_option("cases", only, "only these, such as node/test_abs");
  CLI11_PARSE(app, argc, argv);

  Verdicts verdicts = judge_all(data, only);
  if (verdicts.empty()) {
    fmt::print("no conformance cases in {}: install Debian's libonnx-testdata\n", data);
    return 1;
  }
  Diagnostics diagnostics;
  if ((update && !(write_file(list, list_text(verdicts), diagnostics) &&
                   (operators.empty() || write_file(operators, operators_text(passed_by_operator(verdicts)), diagnostics)))) ||
      (!json.empty() && !write_file(json, summary_text(verdicts), diagnostics))) {
    fmt::print("{}", diagnostics.text());
    return 1;
  }
  std::size_t wrong = compare(verdicts, read_list(list), only.empty());
  wrong += only.empty() ? claimed_too_much(passed_by_operator(verdicts)) : 0;
  fmt::print("{}{} wrong\n", summary_text(verdicts), wrong);
  return wrong == 0 ? 0 : 1;
}
