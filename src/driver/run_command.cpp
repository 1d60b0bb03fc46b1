#include <fmt/format.h>

#include <algorithm>

#include "driver/commands.h"
#include "driver/compare.h"
#include "driver/model.h"
#include "driver/progress.h"
#include "graph/eval.h"

namespace vouch {
namespace {

ExitCode give_up(const Diagnostics& diagnostics) {
  fmt::print(stderr, "{}", diagnostics.text());
  return ExitCode::BadInput;
}

bool read_named(const std::vector<std::string>& pairs, std::vector<NamedTensor>& given, Diagnostics& diagnostics) {
  for (const std::string& pair : pairs) {
    std::size_t at = pair.find('=');
    if (at == std::string::npos) {
      diagnostics.error_at("--input", fmt::format("expected NAME=FILE, found '{}'", pair));
      continue;
    }
    if (auto tensor = read_tensor(pair.substr(at + 1), diagnostics)) {
      given.push_back({pair.substr(0, at), std::move(tensor->tensor)});
    }
  }
  return !diagnostics.has_errors();
}

// One line for each output; true if all are within the tolerance.
bool compare_outputs(const Graph& graph, const std::vector<Tensor>& outputs, const std::vector<NamedTensor>& expected,
                     double tolerance) {
  bool all_within = true;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const std::string& name = graph.outputs()[k].name;
    auto found = std::find_if(expected.begin(), expected.end(), [&](const NamedTensor& t) { return t.name == name; });
    if (found == expected.end()) {
      fmt::print("  {:<28} no reference\n", name);
      continue;
    }
    if (found->tensor.extents() != outputs[k].extents()) {
      fmt::print("  {:<28} DIFFERS: shape {} where the reference has {}\n", name,
                 Type::tensor(outputs[k].dtype(), outputs[k].extents()).text(),
                 Type::tensor(found->tensor.dtype(), found->tensor.extents()).text());
      all_within = false;
      continue;
    }
    Difference difference = compare_tensors(outputs[k], found->tensor);
    bool within = difference.relative() <= tolerance;
    all_within = all_within && within;
    fmt::print("  {:<28} {:<24} largest error {:.2e} of max|y| {:.3g}  {}\n", name,
               Type::tensor(outputs[k].dtype(), outputs[k].extents()).text(), difference.relative(),
               difference.magnitude, within ? "ok" : "DIFFERS");
  }
  return all_within;
}

}  // namespace

ExitCode run_model(const RunCommand& command) {
  if (command.exact) {
    return run_model_exactly(command);
  }
  Diagnostics diagnostics;
  auto model = load_model(command.model, diagnostics);
  if (!model) {
    return give_up(diagnostics);
  }
  TensorFolder folder;
  if (!command.io.empty()) {
    auto read = read_tensor_folder(command.io, diagnostics);
    if (!read) {
      return give_up(diagnostics);
    }
    folder = std::move(*read);
  }
  std::vector<NamedTensor> given = folder.inputs;
  if (!read_named(command.inputs, given, diagnostics)) {
    return give_up(diagnostics);
  }
  auto inputs = load_inputs(model->graph, given, diagnostics);
  if (!inputs) {
    return give_up(diagnostics);
  }
  Progress progress("running");
  RunOptions options;
  options.progress = [&](std::size_t done, std::size_t total, const std::string& node) { progress.update(done, total, node); };
  auto outputs = eval_graph(model->graph, std::move(*inputs), diagnostics, options);
  if (!outputs) {
    return give_up(diagnostics);
  }
  for (std::size_t k = 0; k < outputs->size() && !command.out.empty(); ++k) {
    if (!write_tensor(command.out, "out_", {model->graph.outputs()[k].name, (*outputs)[k]}, diagnostics)) {
      return give_up(diagnostics);
    }
  }
  fmt::print("{}: {} nodes\n", command.model, model->graph.live_count());
  return compare_outputs(model->graph, *outputs, folder.outputs, command.tolerance) ? ExitCode::Ok : ExitCode::Refuted;
}

}  // namespace vouch
