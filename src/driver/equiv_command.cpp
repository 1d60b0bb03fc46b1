#include "driver/equiv_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>

#include "driver/equiv_report.h"
#include "driver/json_output.h"
#include "driver/model.h"
#include "driver/progress.h"
#include "io/tensor_file.h"

namespace vouch {
namespace {

// NAME=VALUE; reported where it is not.
std::optional<std::pair<std::string, std::string>> named(const std::string& option, const std::string& text, const char* form,
                                                         Diagnostics& diagnostics) {
  std::size_t at = text.rfind('=');
  if (at == std::string::npos || at == 0 || at + 1 == text.size()) {
    diagnostics.error_at(option, fmt::format("expected {}, found '{}'", form, text));
    return std::nullopt;
  }
  return std::pair(text.substr(0, at), text.substr(at + 1));
}

template <class T>
std::optional<T> number_of(std::string_view text) {
  T value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

void read_sizes(const EquivCommand& command, EquivOptions& options, Diagnostics& diagnostics) {
  for (const std::string& text : command.sizes) {
    auto pair = named("--size", text, "NAME=NUMBER", diagnostics);
    auto size = pair ? number_of<std::int64_t>(pair->second) : std::nullopt;
    if (size && *size >= 1) {
      options.pairing.sizes.insert_or_assign(pair->first, *size);
    } else if (pair) {
      diagnostics.error_at("--size", fmt::format("expected a number of at least 1, found '{}'", pair->second));
    }
  }
}

void read_ranges(const EquivCommand& command, EquivOptions& options, Diagnostics& diagnostics) {
  for (const std::string& text : command.assume) {
    auto pair = named("--assume", text, "INPUT=LOW..HIGH", diagnostics);
    if (!pair) {
      continue;
    }
    std::size_t dots = pair->second.find("..");
    auto low = dots == std::string::npos ? std::nullopt : number_of<double>(std::string_view(pair->second).substr(0, dots));
    auto high = dots == std::string::npos ? std::nullopt : number_of<double>(std::string_view(pair->second).substr(dots + 2));
    if (low && high && *low <= *high) {
      options.simulation.ranges.insert_or_assign(pair->first, Range{*low, *high});
    } else {
      diagnostics.error_at("--assume", fmt::format("expected INPUT=LOW..HIGH, found '{}'", text));
    }
  }
}

void read_names(const EquivCommand& command, EquivOptions& options, Diagnostics& diagnostics) {
  for (const std::string& text : command.map) {
    if (auto pair = named("--map", text, "FIRST=SECOND", diagnostics)) {
      options.pairing.names.insert_or_assign(pair->first, pair->second);
    }
  }
}

// A size or an input that is named must be one of the first model's.
void check_names(const Graph& graph, const EquivOptions& options, Diagnostics& diagnostics) {
  std::vector<std::string> inputs;
  std::vector<std::string> sizes;
  for (NodeId input : graph.inputs()) {
    inputs.push_back(graph.name(input));
    for (Term extent : graph.type(input).is_tensor() ? graph.type(input).extents() : std::vector<Term>()) {
      for (Symbol name : free_variables(extent)) {
        sizes.push_back(name.name());
      }
    }
  }
  auto check = [&](const char* option, const char* kind, const std::string& name, const std::vector<std::string>& known) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      auto near = suggest(name, known);
      diagnostics.error_at(option, fmt::format("the first model has no {} '{}'", kind, name),
                           near ? fmt::format("did you mean '{}'?", *near) : "");
    }
  };
  for (const auto& [name, size] : options.pairing.sizes) {
    check("--size", "open size", name, sizes);
  }
  for (const auto& [name, range] : options.simulation.ranges) {
    check("--assume", "input", name, inputs);
  }
}

ExitCode code_of(const EquivResult& result) {
  switch (result.verdict) {
    case EquivVerdict::EqualExact:
    case EquivVerdict::EqualReal: return ExitCode::Ok;
    case EquivVerdict::Open: return ExitCode::Undecided;
    case EquivVerdict::Different:
    case EquivVerdict::Mismatched: break;
  }
  return ExitCode::Refuted;
}

// The input that tells the models apart, as `vouch run --io` takes it.
bool write_inputs(const EquivResult& result, const std::string& folder, Diagnostics& diagnostics) {
  const Round& round = result.simulation.rounds[result.simulation.divergence->round];
  bool written = true;
  for (std::size_t k = 0; k < round.inputs.size(); ++k) {
    std::string name = result.pair->graph.name(result.pair->graph.inputs()[k]);
    written = written && write_tensor(folder, "in_", {name, round.inputs[k]}, diagnostics);
  }
  return written;
}

}  // namespace

ExitCode judge_equivalence(const EquivCommand& command) {
  Diagnostics diagnostics;
  EquivOptions options;
  options.exact = command.exact;
  options.fold_tolerance = command.fold_tolerance;
  options.simulation.parameter_change = command.fold_tolerance;
  read_sizes(command, options, diagnostics);
  read_ranges(command, options, diagnostics);
  read_names(command, options, diagnostics);
  auto a = load_model(command.a, diagnostics);
  auto b = load_model(command.b, diagnostics);
  if (a) {
    check_names(a->graph, options, diagnostics);
  }
  if (a && !command.io.empty()) {
    auto given = read_given(command.io, {}, diagnostics);
    auto inputs = given ? load_inputs(a->graph, given->inputs, diagnostics) : std::nullopt;
    if (inputs) {
      options.simulation.given.push_back(std::move(*inputs));
    }
  }
  if (!a || !b || diagnostics.has_errors()) {
    return give_up(diagnostics);
  }
  EquivResult result;
  {
    Progress bar("comparing");
    options.progress = [&](std::size_t done, std::size_t total) { bar.update(done, total); };
    result = compare_models(a->graph, b->graph, options);
  }
  if (!json_alone(command.json)) {
    fmt::print("{}", equiv_text(result));
  }
  bool written = give_json(command.json, equiv_json(result), diagnostics);
  if (result.simulation.divergence && result.verdict == EquivVerdict::Different && !command.out.empty()) {
    written = write_inputs(result, command.out, diagnostics) && written;
  }
  return written ? code_of(result) : give_up(diagnostics);
}

void add_equiv_command(CLI::App& app, ExitCode& code) {
  auto command = std::make_shared<EquivCommand>();
  CLI::App* equiv = app.add_subcommand("equiv", "Prove that two models compute the same, or show an input on which they differ");
  equiv->add_option("a", command->a, "the first model (.onnx or .json)")->required();
  equiv->add_option("b", command->b, "the second model")->required();
  equiv->add_option("--map", command->map, "FIRST=SECOND: an input or output that the models call differently")->delimiter(',');
  equiv->add_option("--size", command->sizes, "NAME=NUMBER: a size of the first model that is left open")->delimiter(',');
  equiv->add_option("--assume", command->assume, "INPUT=LOW..HIGH: what the elements of an input are")->delimiter(',');
  equiv->add_option("--io", command->io, "folder with in_* tensors, on which the models are run first");
  equiv->add_option("--fold-tolerance", command->fold_tolerance, "relative difference that a folded parameter may have")
      ->capture_default_str();
  equiv->add_flag("--exact", command->exact, "ask for bit equality: no law of arithmetic counts");
  equiv->add_option("--repro", command->out, "folder for an input on which the models differ, for `vouch run --io`");
  equiv->add_option("--json", command->json, "what was found, for machines: to this file, or - for standard output");
  equiv->callback([command, &code] { code = judge_equivalence(*command); });
}

}  // namespace vouch
