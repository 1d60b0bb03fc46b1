#include "driver/equiv_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "driver/equality_trace.h"
#include "driver/equiv_report.h"
#include "driver/json_output.h"
#include "driver/model.h"
#include "driver/progress.h"
#include "io/file.h"
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

// What is assumed of inputs must hold of those that are given.
bool meets_assumptions(const Graph& graph, const std::vector<Tensor>& inputs, const EquivOptions& options,
                       Diagnostics& diagnostics) {
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    auto range = options.simulation.ranges.find(graph.name(graph.inputs()[k]));
    for (std::int64_t at = 0; range != options.simulation.ranges.end() && at < inputs[k].count(); ++at) {
      double element = is_float(inputs[k].dtype()) ? inputs[k].double_at(at) : static_cast<double>(inputs[k].int_at(at));
      if (!(element >= range->second.low && element <= range->second.high)) {
        diagnostics.error_at("--io", fmt::format("element {} of '{}' is {}, and {}..{} is assumed", at, range->first, element,
                                                 range->second.low, range->second.high));
        return false;
      }
    }
  }
  return true;
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
  const std::vector<Tensor>& witness = result.simulation.witness;
  bool written = true;
  for (std::size_t k = 0; k < witness.size(); ++k) {
    std::string name = result.pair->graph.name(result.pair->graph.inputs()[k]);
    written = written && write_tensor(folder, "in_", {name, witness[k]}, diagnostics);
  }
  return written;
}

// Nothing: the input is bad, and what is wrong is reported.
std::optional<EquivResult> compared(const EquivCommand& command, EquivOptions& options, Diagnostics& diagnostics) {
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
    auto inputs = given ? load_inputs(a->graph, given->inputs, diagnostics, a->defaults) : std::nullopt;
    if (inputs && meets_assumptions(a->graph, *inputs, options, diagnostics)) {
      options.simulation.given.push_back(std::move(*inputs));
    }
  }
  if (!a || !b || diagnostics.has_errors()) {
    return std::nullopt;
  }
  Progress bar("comparing");
  options.progress = [&](std::size_t done, std::size_t total) { bar.update(done, total); };
  std::size_t kept = keep_defaults(*a) + keep_defaults(*b);
  EquivResult result = compare_models(a->graph, b->graph, options);
  options.progress = {};
  for (const auto& [name, range] : options.simulation.ranges) {
    if (result.pair) {
      result.pair->notes.push_back(fmt::format("if all elements of '{}' are in {}..{}, as assumed", name, range.low, range.high));
    }
  }
  if (result.pair && kept > 0) {
    result.pair->notes.push_back(fmt::format("{} inputs that need not be fed keep the values that the models give them", kept));
  }
  return result;
}

ExitCode judge_pair(const EquivCommand& command) {
  Diagnostics diagnostics;
  EquivOptions options;
  auto result = compared(command, options, diagnostics);
  if (!result) {
    return give_up(diagnostics);
  }
  if (!json_alone(command.json) && !command.quiet) {
    fmt::print("{}", equiv_text(*result));
  }
  bool written = give_json(command.json, equiv_json(*result), diagnostics);
  if (!command.trace.empty()) {
    auto trace = result->pair ? equality_trace(command, options, *result, diagnostics) : std::nullopt;
    written = (!trace || give_json(command.trace, *trace, diagnostics)) && !diagnostics.has_errors() && written;
  }
  if (result->simulation.divergence && result->verdict == EquivVerdict::Different && !command.repro.empty()) {
    written = write_inputs(*result, command.repro, diagnostics) && written;
  }
  return written ? code_of(*result) : give_up(diagnostics);
}

// Each line of the list names two models, relative to its folder.
std::optional<std::vector<std::pair<std::string, std::string>>> read_list(const std::string& path, Diagnostics& diagnostics) {
  auto text = read_file(path, diagnostics);
  if (!text) {
    return std::nullopt;
  }
  std::vector<std::pair<std::string, std::string>> out;
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::istringstream lines(*text);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line);
    std::string a;
    std::string b;
    std::string more;
    if (!(words >> a) || a.starts_with('#')) {
      continue;
    }
    if (!(words >> b) || words >> more) {
      diagnostics.error_at(fmt::format("{}:{}", path, number), fmt::format("expected two models, found '{}'", line));
      return std::nullopt;
    }
    out.emplace_back((folder / a).string(), (folder / b).string());
  }
  return out;
}

// The worst of all codes, in the order in which a user has to act.
ExitCode worse(ExitCode a, ExitCode b) {
  for (ExitCode code : {ExitCode::BadInput, ExitCode::Refuted, ExitCode::Undecided}) {
    if (a == code || b == code) {
      return code;
    }
  }
  return ExitCode::Ok;
}

ExitCode judge_list(const EquivCommand& command) {
  Diagnostics diagnostics;
  auto pairs = read_list(command.list, diagnostics);
  if (!pairs) {
    return give_up(diagnostics);
  }
  ExitCode code = ExitCode::Ok;
  std::vector<JudgedPair> judged;
  for (const auto& [a, b] : *pairs) {
    EquivCommand one = command;
    one.a = a;
    one.b = b;
    Diagnostics of_pair;
    auto start = std::chrono::steady_clock::now();
    EquivOptions options;
    auto result = compared(one, options, of_pair);
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    judged.push_back({a, b, result ? verdict_text(*result) : "bad input", result ? equiv_text(*result) : of_pair.text(),
                      result && code_of(*result) == ExitCode::Ok, seconds});
    code = worse(code, result ? code_of(*result) : ExitCode::BadInput);
    fmt::print("{:<50} {}\n", b, judged.back().verdict);
  }
  bool written = command.junit.empty() || write_file(command.junit, junit_text(judged), diagnostics);
  return written ? code : give_up(diagnostics);
}

}  // namespace

std::size_t keep_defaults(OnnxModel& model) {
  std::size_t kept = 0;
  for (const NamedTensor& otherwise : model.defaults) {
    const std::vector<NodeId>& inputs = model.graph.inputs();
    auto input =
        std::find_if(inputs.begin(), inputs.end(), [&](NodeId node) { return model.graph.name(node) == otherwise.name; });
    if (input != inputs.end()) {
      NodeId replaced = *input;
      model.graph.replace_uses(replaced, model.graph.add_constant(otherwise.tensor));
      ++kept;
    }
  }
  return kept;
}

ExitCode judge_equivalence(const EquivCommand& command) {
  if (!command.list.empty()) {
    return judge_list(command);
  }
  if (command.a.empty() || command.b.empty()) {
    fmt::print(stderr, "two models are needed, or --list FILE with two on each line\n");
    return ExitCode::Usage;
  }
  return judge_pair(command);
}

void add_equiv_command(CLI::App& app, ExitCode& code) {
  auto command = std::make_shared<EquivCommand>();
  CLI::App* equiv = app.add_subcommand("equiv", "Prove that two models compute the same, or show an input on which they differ");
  equiv->add_option("a", command->a, "the first model (.onnx or .json)");
  equiv->add_option("b", command->b, "the second model");
  equiv->add_option("--list", command->list, "judge the pairs in this file: two models on each line, relative to its folder");
  equiv->add_option("--junit", command->junit, "the verdicts of a list as JUnit XML, for CI")->needs("--list");
  equiv->add_option("--map", command->map, "FIRST=SECOND: an input or output that the models call differently")->delimiter(',');
  equiv->add_option("--size", command->sizes, "NAME=NUMBER: a size of the first model that is left open")->delimiter(',');
  equiv->add_option("--assume", command->assume, "INPUT=LOW..HIGH: what the elements of an input are")->delimiter(',');
  equiv->add_option("--io", command->io, "folder with in_* tensors, on which the models are run first");
  equiv->add_option("--fold-tolerance", command->fold_tolerance, "relative difference that a folded parameter may have")
      ->capture_default_str();
  equiv->add_flag("--exact", command->exact, "ask for bit equality: no law of arithmetic counts");
  equiv->add_option("--repro", command->repro, "folder for an input on which the models differ, for `vouch run --io`");
  equiv->add_option("--json", command->json, "what was found, for machines: to this file, or - for standard output");
  equiv->add_option("--trace", command->trace,
                    "every step of the proof, in order, to this file; `vouch verify` goes through *.equalities.json again");
  equiv->callback([command, &code] { code = judge_equivalence(*command); });
}

}  // namespace vouch
