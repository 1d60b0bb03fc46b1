#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "driver/commands.h"
#include "driver/json_output.h"
#include "driver/model.h"
#include "graph/eval.h"
#include "graph/exact.h"

namespace vouch {
namespace {

// Every element, a line for each row of the last axis, unless `quiet`; false, with the reason, if one is not exact.
bool show_exact(const std::string& name, const ExactTensor& tensor, bool quiet, nlohmann::ordered_json& json) {
  std::string text = fmt::format("{}: {}\n", name, Type::tensor(tensor.dtype, tensor.extents).text());
  nlohmann::ordered_json elements = nlohmann::ordered_json::array();
  std::int64_t row = tensor.extents.empty() ? 1 : tensor.extents.back();
  bool exact = true;
  for (std::size_t i = 0; i < tensor.values.size(); ++i) {
    auto missing = tensor.missing.find(i);
    bool known = missing == tensor.missing.end() && (tensor.values[i].exact() || tensor.values[i].infinite() != 0);
    if (!known && exact) {
      fmt::print(stderr, "vouch run: {}: element {} has no exact value: {}\n", name, i,
                 missing != tensor.missing.end()
                     ? missing->second.message
                     : "it is irrational, or not known to be rational: within " + to_text(tensor.values[i]));
    }
    exact = exact && known;
    bool last = (static_cast<std::int64_t>(i) + 1) % row == 0;
    std::string element = missing != tensor.missing.end() ? "none" : to_text(tensor.values[i]);
    text += element + (last ? "\n" : " ");
    elements.push_back(std::move(element));
  }
  if (!quiet) {
    fmt::print("{}", text);
  }
  json.push_back({{"name", name},
                  {"dtype", std::string(dtype_name(tensor.dtype))},
                  {"shape", tensor.extents},
                  {"elements", std::move(elements)},
                  {"exact", exact}});
  return exact;
}

}  // namespace

ExitCode run_model_exactly(const RunCommand& command) {
  Diagnostics diagnostics;
  auto model = load_model(command.model, diagnostics);
  auto given = model ? read_given(command.io, command.inputs, diagnostics) : std::nullopt;
  auto inputs = given ? load_inputs(model->graph, given->inputs, diagnostics, model->defaults) : std::nullopt;
  if (!inputs || !verify_inputs(model->graph, *inputs, diagnostics)) {
    return give_up(diagnostics);
  }
  std::vector<ExactTensor> exact;
  for (const Tensor& input : *inputs) {
    auto values = exact_of(input);
    if (!values) {
      diagnostics.error_at(command.model, "an element of an input is NaN, which no number is");
      return give_up(diagnostics);
    }
    exact.push_back(std::move(*values));
  }
  auto outputs = eval_graph_exact(model->graph, exact);
  if (const auto* failure = std::get_if<EvalFailure>(&outputs)) {
    fmt::print(stderr, "vouch run: no exact value: {}\n", failure->message);
    return ExitCode::Undecided;
  }
  bool all_exact = true;
  nlohmann::ordered_json json{{"vouch_run_exact", 1}, {"model", command.model}, {"outputs", nlohmann::ordered_json::array()}};
  for (std::size_t k = 0; k < model->graph.outputs().size(); ++k) {
    all_exact &= show_exact(model->graph.outputs()[k].name, std::get<0>(outputs)[k], json_alone(command.json), json["outputs"]);
  }
  if (!give_json(command.json, json, diagnostics)) {
    return give_up(diagnostics);
  }
  return all_exact ? ExitCode::Ok : ExitCode::Undecided;
}

}  // namespace vouch
