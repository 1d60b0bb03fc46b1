#include "driver/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>

#include "io/file.h"
#include "io/graph_json.h"
#include "io/onnx_evaluate.h"
#include "rule/parse.h"

namespace vouch {

// Files of other frameworks.
static constexpr std::array<std::string_view, 8> kOfOthers = {".pt",    ".pth",    ".pb",          ".h5",
                                                              ".keras", ".tflite", ".safetensors", ".mlmodel"};

std::optional<ModelKind> model_kind(const std::string& path, Diagnostics& diagnostics) {
  if (path == "-") {
    auto bytes = read_file(path, diagnostics);
    std::size_t first = bytes ? bytes->find_first_not_of(" \t\r\n") : 0;
    bool json = bytes && first != std::string::npos && (*bytes)[first] == '{';
    return !bytes ? std::nullopt : std::optional(json ? ModelKind::Json : ModelKind::Onnx);
  }
  if (path.ends_with(".onnx") || path.ends_with(".json")) {
    return path.ends_with(".json") ? ModelKind::Json : ModelKind::Onnx;
  }
  std::string other = takers_of(path);
  std::string ending = std::filesystem::path(path).extension().string();
  bool foreign = std::find(kOfOthers.begin(), kOfOthers.end(), ending) != kOfOthers.end();
  diagnostics.error_at(path, "the kind of model is not known by this name",
                       !other.empty() ? other
                       : foreign      ? "export it as ONNX first, as torch.onnx.export and tf2onnx do"
                                      : "models end in .onnx or .json, or are '-'");
  return std::nullopt;
}

std::optional<OnnxModel> model_of_bytes(const std::string& path, std::string bytes, Diagnostics& diagnostics,
                                        const OnnxOptions& options) {
  auto kind = model_kind(path, diagnostics);
  if (!kind) {
    return std::nullopt;
  }
  std::string folder = std::filesystem::absolute(path).parent_path().string();
  if (kind == ModelKind::Onnx) {
    return import_onnx_bytes(bytes, path, folder, diagnostics, options);
  }
  auto graph = parse_graph(std::make_shared<Source>(path, std::move(bytes)), folder, diagnostics);
  return graph ? std::optional(OnnxModel{std::move(*graph), std::filesystem::path(path).stem().string(), 0}) : std::nullopt;
}

std::optional<OnnxModel> load_model(const std::string& path, Diagnostics& diagnostics, const OnnxOptions& options) {
  auto kind = model_kind(path, diagnostics);
  if (kind == ModelKind::Onnx) {
    return import_onnx(path, diagnostics, options);
  }
  auto bytes = kind ? read_file(path, diagnostics) : std::nullopt;
  return bytes ? model_of_bytes(path, std::move(*bytes), diagnostics, options) : std::nullopt;
}

// `model` again, with those of its inputs that `other` needs though `model` does not.
static bool read_as_needed(OnnxModel& model, const std::string& path, const Graph& other,
                           const std::map<std::string, std::string>& names, const ModelLoader& load, Diagnostics& diagnostics) {
  OnnxOptions options{.unfed_are_weights = true};
  for (NodeId input : other.inputs()) {
    auto found = names.find(other.name(input));
    const std::string& name = found == names.end() ? other.name(input) : found->second;
    if (model.unfed.count(name) != 0) {
      options.still_fed.insert(name);
    }
  }
  if (!options.still_fed.empty()) {
    auto again = load(path, diagnostics, options);
    if (!again) {
      return false;
    }
    model = std::move(*again);
  }
  return true;
}

std::optional<ComparedModels> load_compared(const std::string& a, const std::string& b,
                                            const std::map<std::string, std::string>& names, Diagnostics& diagnostics,
                                            const ModelLoader& load) {
  const OnnxOptions options{.unfed_are_weights = true};
  auto first = load(a, diagnostics, options);
  auto second = load(b, diagnostics, options);
  std::map<std::string, std::string> back;
  for (const auto& [name, other] : names) {
    back.emplace(other, name);
  }
  if (!first || !second || !read_as_needed(*first, a, second->graph, back, load, diagnostics) ||
      !read_as_needed(*second, b, first->graph, names, load, diagnostics)) {
    return std::nullopt;
  }
  return ComparedModels{std::move(*first), std::move(*second)};
}

bool save_model(const Graph& graph, const std::string& name, const std::string& path, Diagnostics& diagnostics,
                const OnnxWriteOptions& options) {
  if (path != "-" && is_plain_target(path) && !model_kind(path, diagnostics)) {
    return false;
  }
  return path.ends_with(".json") ? write_graph(graph, path, diagnostics) : write_onnx(graph, name, path, diagnostics, options);
}

RunOptions run_options(std::uint64_t memory) {
  RunOptions options;
  options.foreign = evaluate_onnx;
  options.most_terms = std::numeric_limits<double>::infinity();
  if (memory != 0) {
    options.most_bytes = static_cast<std::int64_t>(std::min(memory, std::uint64_t{INT64_MAX}));
  }
  return options;
}

bool is_expected_wrong(const Rule& rule) {
  return rule.expectation == Expectation::Unsound || rule.expectation == Expectation::IllTyped ||
         rule.expectation == Expectation::Vacuous;
}

std::string takers_of(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  return ending == ".gsl"                      ? "this is a file of rules, for 'vouch check'"
         : ending == ".tk" || ending == ".fun" ? "this is a kernel, for 'vouch compile'"
         : ending == ".onnx"                   ? "this is a model, for 'vouch optimize', 'run', 'build', 'equiv'"
                                               : "";
}

static std::vector<std::string> rule_files(const std::string& path, Diagnostics& diagnostics) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    std::string other = path.ends_with(".gsl") ? "" : takers_of(path);
    if (!other.empty()) {
      diagnostics.error_at(path, "expected rules (.gsl)", other);
    }
    return other.empty() ? std::vector<std::string>{path} : std::vector<std::string>{};
  }
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
    if (entry.path().extension() == ".gsl") {
      files.push_back(entry.path().string());
    }
  }
  if (error || files.empty()) {
    diagnostics.error_at(path, "no rule files (.gsl) are in this folder");
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> rule_files(const std::vector<std::string>& paths, Diagnostics& diagnostics) {
  std::vector<std::string> all;
  for (const std::string& path : paths) {
    for (std::string& file : rule_files(path, diagnostics)) {
      all.push_back(std::move(file));
    }
  }
  return all;
}

std::vector<Rule> load_good_rules(const std::vector<std::string>& paths, Diagnostics& diagnostics) {
  std::vector<Rule> all;
  for (const std::string& file : rule_files(paths, diagnostics)) {
    if (auto text = read_file(file, diagnostics)) {
      std::vector<Rule> rules = parse_good_rules(std::make_shared<Source>(file, std::move(*text)), diagnostics);
      std::move(rules.begin(), rules.end(), std::back_inserter(all));
    }
  }
  return all;
}

std::optional<std::vector<Rule>> load_rules(const std::vector<std::string>& paths, Diagnostics& diagnostics) {
  std::size_t errors = diagnostics.error_count();
  std::vector<Rule> all = load_good_rules(paths, diagnostics);
  return diagnostics.error_count() == errors ? std::optional(std::move(all)) : std::nullopt;
}

std::optional<TensorFolder> read_given(const std::string& io, const std::vector<std::string>& pairs, Diagnostics& diagnostics) {
  auto folder = io.empty() ? std::optional<TensorFolder>(std::in_place) : read_tensor_folder(io, diagnostics);
  if (!folder) {
    return std::nullopt;
  }
  for (const std::string& pair : pairs) {
    std::size_t at = pair.find('=');
    if (at == std::string::npos) {
      diagnostics.error_at("--input", fmt::format("expected NAME=FILE, found '{}'", pair));
    } else if (auto tensor = read_tensor(pair.substr(at + 1), diagnostics)) {
      folder->inputs.push_back({pair.substr(0, at), std::move(tensor->tensor)});
    }
  }
  return diagnostics.has_errors() ? std::nullopt : std::move(folder);
}

std::optional<std::vector<Tensor>> load_inputs(const Graph& graph, const std::vector<NamedTensor>& given,
                                               Diagnostics& diagnostics, const std::vector<NamedTensor>& defaults) {
  std::vector<Tensor> inputs;
  std::vector<std::string> names;
  for (NodeId input : graph.inputs()) {
    names.push_back(graph.name(input));
    auto named = [&](const NamedTensor& t) { return t.name == names.back(); };
    auto found = std::find_if(given.begin(), given.end(), named);
    auto otherwise = std::find_if(defaults.begin(), defaults.end(), named);
    if (found == given.end() && otherwise != defaults.end()) {
      inputs.push_back(otherwise->tensor);
    } else if (found == given.end()) {
      diagnostics.error_at(
          names.back(), fmt::format("no value is given for this input, of type {}", graph.type(input).text()),
          fmt::format("give --input {0}=FILE.npy, or --io FOLDER with in_{0}.npy or as ONNX has test data", names.back()));
    } else {
      inputs.push_back(found->tensor);
    }
  }
  for (const NamedTensor& tensor : given) {
    if (std::find(names.begin(), names.end(), tensor.name) == names.end()) {
      auto near = suggest(tensor.name, names);
      diagnostics.error_at(tensor.name, "the model has no input of this name",
                           near ? fmt::format("did you mean '{}'?", *near) : "");
    }
  }
  return inputs.size() == graph.inputs().size() && !diagnostics.has_errors() ? std::optional(std::move(inputs)) : std::nullopt;
}

const Rule* find_rule(const std::vector<Rule>& rules, const std::string& name, Diagnostics& diagnostics) {
  auto rule = std::find_if(rules.begin(), rules.end(), [&](const Rule& r) { return r.name == name; });
  if (rule != rules.end()) {
    return &*rule;
  }
  std::vector<std::string> names;
  std::transform(rules.begin(), rules.end(), std::back_inserter(names), [](const Rule& r) { return r.name; });
  auto near = suggest(name, names);
  diagnostics.error_at(name, "there is no rule of this name",
                       near ? fmt::format("did you mean '{}'?", *near) : "rules are those of --rules, or else the shipped ones");
  return nullptr;
}

}  // namespace vouch
