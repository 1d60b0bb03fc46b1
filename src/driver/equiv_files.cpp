#include "driver/equiv_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "driver/model.h"
#include "driver/progress.h"
#include "io/onnx_evaluate.h"

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
      double element = inputs[k].double_at(at);
      if (!(element >= range->second.low && element <= range->second.high)) {
        diagnostics.error_at("--io", fmt::format("element {} of '{}' is {}, and {}..{} is assumed", at, range->first, element,
                                                 range->second.low, range->second.high));
        return false;
      }
    }
  }
  return true;
}

// What --io gives; a value for an input that keeps its model's is not asked for.
void read_first_input(const EquivCommand& command, const OnnxModel& model, EquivOptions& options, Diagnostics& diagnostics) {
  auto given = command.io.empty() ? std::nullopt : read_given(command.io, {}, diagnostics);
  if (!given) {
    return;
  }
  std::erase_if(given->inputs, [&](const NamedTensor& tensor) { return model.unfed.count(tensor.name) != 0; });
  auto inputs = load_inputs(model.graph, given->inputs, diagnostics, model.defaults);
  if (inputs && meets_assumptions(model.graph, *inputs, options, diagnostics)) {
    options.simulation.given.push_back(std::move(*inputs));
  }
}

}  // namespace

bool read_equiv_options(const EquivCommand& command, EquivOptions& options, Diagnostics& diagnostics) {
  options.exact = command.exact;
  options.pairing.foreign = evaluate_onnx;
  if (command.fold_tolerance) {
    options.fold_tolerance = options.simulation.parameter_change = FoldTolerance(*command.fold_tolerance);
    if (!FoldTolerance::can_be(*command.fold_tolerance)) {
      diagnostics.error_at("--fold-tolerance",
                           fmt::format("expected a number from 0 to below 1, found {}", *command.fold_tolerance));
    }
  }
  read_sizes(command, options, diagnostics);
  read_ranges(command, options, diagnostics);
  read_names(command, options, diagnostics);
  return !diagnostics.has_errors();
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

std::optional<EquivResult> compare_files(const EquivCommand& command, EquivOptions& options, bool shows_progress,
                                         Diagnostics& diagnostics, WeightFiles* weights) {
  read_equiv_options(command, options, diagnostics);
  auto pair = load_compared(command.a, command.b, options.pairing.names, diagnostics);
  if (pair) {
    check_names(pair->a.graph, options, diagnostics);
    read_first_input(command, pair->a, options, diagnostics);
  }
  if (!pair || diagnostics.has_errors()) {
    return std::nullopt;
  }
  if (weights != nullptr) {
    *weights = {weight_files(pair->a), weight_files(pair->b)};
  }
  Progress bar("comparing");
  if (shows_progress) {
    options.progress = [&](std::size_t done, std::size_t total) { bar.update(done, total); };
  }
  std::size_t kept = pair->a.unfed.size() + pair->b.unfed.size();
  EquivResult result = compare_models(pair->a.graph, pair->b.graph, options);
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

}  // namespace vouch
