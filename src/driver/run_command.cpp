#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "driver/commands.h"
#include "driver/compare.h"
#include "driver/json_output.h"
#include "driver/model.h"
#include "driver/progress.h"
#include "graph/eval.h"
#include "io/file.h"
#include "support/how_many.h"

namespace vouch {
namespace {

std::string type_text(const Tensor& tensor) { return Type::tensor(tensor.dtype(), tensor.extents()).text(); }

// One output beside its reference, if there is one.
struct Compared {
  std::string name;
  std::string type;
  std::string reference_type;  // of a reference of another shape
  std::optional<Difference> difference;
  bool within = true;

  std::string line() const {
    if (!reference_type.empty()) {
      return fmt::format("  {:<28} DIFFERS: shape {} where the reference has {}\n", name, type, reference_type);
    }
    return difference ? fmt::format("  {:<28} {:<24} largest error {:.2e} of max|y| {:.3g}  {}\n", name, type,
                                    difference->relative(), difference->magnitude, within ? "ok" : "DIFFERS")
                      : fmt::format("  {:<28} {:<24} no reference\n", name, type);
  }
  nlohmann::ordered_json json() const {
    nlohmann::ordered_json out{{"name", name}, {"type", type}, {"ok", within}};
    if (!reference_type.empty()) {
      out["reference_type"] = reference_type;
    }
    if (difference) {
      out["largest_error"] = difference->relative();
      out["magnitude"] = difference->magnitude;
    }
    return out;
  }
};

Compared compare_output(const std::string& name, const Tensor& output, const std::vector<NamedTensor>& expected,
                        double tolerance) {
  Compared out{name, type_text(output), "", {}, true};
  auto found = std::find_if(expected.begin(), expected.end(), [&](const NamedTensor& t) { return t.name == name; });
  if (found == expected.end()) {
    return out;
  }
  if (found->tensor.extents() != output.extents()) {
    out.reference_type = type_text(found->tensor);
    out.within = false;
    return out;
  }
  out.difference = compare_tensors(output, found->tensor);
  out.within = out.difference->relative() <= tolerance;
  return out;
}

// A line for each output, and the same for machines.
ExitCode report(const RunCommand& command, const Graph& graph, const std::vector<Tensor>& outputs,
                const std::vector<NamedTensor>& expected, Diagnostics& diagnostics) {
  nlohmann::ordered_json all{{"vouch_run", 1},
                             {"model", command.model},
                             {"nodes", graph.live_count()},
                             {"tolerance", command.tolerance},
                             {"outputs", nlohmann::ordered_json::array()}};
  std::string text = fmt::format("{}: {}\n", command.model, how_many(graph.live_count(), "node"));
  bool within = true;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    Compared compared = compare_output(graph.outputs()[k].name, outputs[k], expected, command.tolerance);
    within = within && compared.within;
    text += compared.line();
    all["outputs"].push_back(compared.json());
  }
  if (!json_alone(command.json)) {
    fmt::print("{}", text);
  }
  if (!give_json(command.json, all, diagnostics)) {
    return give_up(diagnostics);
  }
  return within ? ExitCode::Ok : ExitCode::Refuted;
}

bool write_outputs(const std::string& folder, const Graph& graph, const std::vector<Tensor>& outputs, Diagnostics& diagnostics) {
  FilesTogether files;
  std::vector<NamedTensor> named;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    named.push_back({graph.outputs()[k].name, outputs[k]});
  }
  return write_tensors(folder, "out_", named, diagnostics) && files.commit(diagnostics);
}

}  // namespace

ExitCode run_model(const RunCommand& command) {
  if (command.exact) {
    return run_model_exactly(command);
  }
  Diagnostics diagnostics;
  auto model = load_model(command.model, diagnostics);
  auto given = model ? read_given(command.io, command.inputs, diagnostics) : std::nullopt;
  auto inputs = given ? load_inputs(model->graph, given->inputs, diagnostics, model->defaults) : std::nullopt;
  if (!inputs) {
    return give_up(diagnostics);
  }
  Progress progress("running");
  RunOptions options = run_options(command.memory);
  options.progress = [&](std::size_t done, std::size_t total, const std::string& node) { progress.update(done, total, node); };
  auto outputs = eval_graph(model->graph, std::move(*inputs), diagnostics, options);
  if (!outputs) {
    return give_up(diagnostics);
  }
  if (!command.out.empty() && !write_outputs(command.out, model->graph, *outputs, diagnostics)) {
    return give_up(diagnostics);
  }
  return report(command, model->graph, *outputs, given->outputs, diagnostics);
}

}  // namespace vouch
