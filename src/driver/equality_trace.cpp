#include "driver/equality_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "driver/equality_text.h"
#include "driver/equiv_report.h"
#include "driver/folder_check.h"
#include "driver/model.h"
#include "equiv/replay.h"
#include "io/file.h"
#include "io/onnx_evaluate.h"
#include "support/hash.h"

namespace vouch {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMostTraceBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kMostWeightBytes = std::uint64_t{1} << 34;

Json step_json(const EquivStep& step, const std::string& region, const ModelPair& pair) {
  auto tensor = [&](NodeId node) { return Json{{"model", pair.of_b(node) ? "second" : "first"}, {"name", pair.names[node]}}; };
  Json out{{"tensor", tensor(step.node)},
           {"equals", tensor(step.equals)},
           {"node", step.node},
           {"other", step.equals},
           {"by", ground_name(step.kind)}};
  bool proven = step.kind == EquivStep::Kind::Region || step.kind == EquivStep::Kind::Fold;
  if (proven || step.kind == EquivStep::Kind::Bodies) {
    out["algebra"] = step.exact ? "exact" : "real";
    out["bound"] = step.bound;
  }
  if (proven) {
    out["region"] = region;
    out["cuts"] = Json::array();
    for (const RegionCut& cut : step.cuts) {
      out["cuts"].push_back({cut.source, cut.target, cut.shown});
    }
  }
  return out;
}

// The files of models that are named: what is compared is the very bytes whose hash is the listed one.
class NamedModels {
 public:
  explicit NamedModels(fs::path folder) : folder_(std::move(folder)) {}

  // Its file's path.
  std::string add(const ListedModel& model, std::set<std::string>& covered) {
    std::string file = name(model.file, covered);
    for (const ListedFile& one : model.weights) {
      std::error_code failed;
      weights_[file].insert(fs::weakly_canonical(name(one, covered), failed).string());
    }
    return file;
  }

  std::optional<OnnxModel> load(const std::string& file, Diagnostics& diagnostics, const OnnxOptions& options) const {
    FileBytes found = read_regular(file, kMostTraceBytes);
    if (!found.bytes || !is_listed(file, *found.bytes)) {
      diagnostics.error_at(shown_.at(file), found.bytes ? "it is not the model that was compared" : found.why);
      return std::nullopt;
    }
    auto model = model_of_bytes(file, std::move(*found.bytes), diagnostics, options);
    return model && has_its_weights(file, *model, diagnostics) ? std::move(model) : std::nullopt;
  }

 private:
  std::string name(const ListedFile& listed, std::set<std::string>& covered) {
    const std::string& path = listed.path;
    fs::path local = fs::path(path).lexically_normal();
    if (!local.empty() && local.is_relative() && *local.begin() != "..") {
      covered.insert(local.string());
    }
    std::string file = (folder_ / path).string();
    hashes_[file].insert(listed.hash);
    shown_[file] = printable(path);
    return file;
  }

  bool is_listed(const std::string& file, const std::string& bytes) const {
    const std::set<std::string>& hashes = hashes_.at(file);
    return hashes.size() == 1 && hashes.contains(content_hash(bytes));
  }

  // The files that it reads weights of are those that are listed, as they are listed.
  bool has_its_weights(const std::string& file, const OnnxModel& model, Diagnostics& diagnostics) const {
    auto listed = weights_.find(file);
    if (weight_files(model) != (listed == weights_.end() ? std::set<std::string>() : listed->second)) {
      diagnostics.error_at(shown_.at(file), "the files of its weights are not those that are listed");
      return false;
    }
    for (const auto& [other, name] : shown_) {
      std::error_code failed;
      if (listed == weights_.end() || !listed->second.contains(fs::weakly_canonical(other, failed).string())) {
        continue;
      }
      FileBytes found = read_regular(other, kMostWeightBytes);
      if (!found.bytes || !is_listed(other, *found.bytes)) {
        diagnostics.error_at(name, found.bytes ? "these are not the weights that were compared" : found.why);
        return false;
      }
    }
    return true;
  }

  fs::path folder_;
  std::map<std::string, std::set<std::string>> hashes_;   // of one file both models may be
  std::map<std::string, std::set<std::string>> weights_;  // of a model, by their real paths
  std::map<std::string, std::string> shown_;
};

EquivOptions options_of(const EqualityText& said) {
  EquivOptions options;
  options.pairing.names = said.map;
  options.pairing.sizes = said.sizes;
  options.pairing.foreign = evaluate_onnx;
  options.exact = said.exact;
  options.fold_tolerance = said.fold_tolerance;
  return options;
}

// Null: by element type.
Json stated_or_null(const FoldTolerance& tolerance) { return tolerance.stated() ? Json(*tolerance.stated()) : Json(); }

Json models_json(const std::vector<ListedModel>& models) {
  Json out = Json::array();
  for (const ListedModel& model : models) {
    out.push_back({{"path", model.file.path}, {"hash", model.file.hash}});
    for (const ListedFile& one : model.weights) {
      out.back()["weights"].push_back({{"path", one.path}, {"hash", one.hash}});
    }
  }
  return out;
}

Json trace_json(const std::vector<ListedModel>& models, const EquivOptions& options, const EquivResult& result,
                const ModelPair& pair) {
  Json out{{"vouch_equalities", kEqualitiesVersion},
           {"models", models_json(models)},
           {"map", options.pairing.names},
           {"sizes", options.pairing.sizes},
           {"exact", options.exact},
           {"fold_tolerance", stated_or_null(options.fold_tolerance)},
           {"verdict", verdict_text(result)},
           {"fold_bound", result.fold_bound},
           {"steps", Json::array()}};
  std::vector<std::string> regions = region_texts(pair, result.steps, options);
  for (std::size_t k = 0; k < result.steps.size(); ++k) {
    out["steps"].push_back(step_json(result.steps[k], regions[k], pair));
  }
  return out;
}

// What the verdict speaks of, if not of the models as they are.
std::vector<std::string> conditions(const EquivOptions& options) {
  std::vector<std::string> out;
  for (const auto& [name, value] : options.pairing.sizes) {
    out.push_back(fmt::format("where {} is {}", printable(name), value));
  }
  for (const auto& [first, second] : options.pairing.names) {
    out.push_back(fmt::format("'{}' of the first model is '{}' of the second", printable(first), printable(second)));
  }
  return out;
}

// `text` is what says so.
std::string replayed(const fs::path& folder, const EqualityText& said, const std::string& text, std::set<std::string>& covered,
                     EqualityCheck& check) {
  check.verdict = printable(said.verdict);
  NamedModels named(folder);
  std::string a = named.add(said.models[0], covered);
  std::string b = named.add(said.models[1], covered);
  EquivOptions options = options_of(said);
  check.conditions = conditions(options);
  Diagnostics diagnostics;
  auto models = load_compared(
      a, b, options.pairing.names, diagnostics,
      [&](const std::string& file, Diagnostics& errors, const OnnxOptions& as) { return named.load(file, errors, as); });
  if (!models) {
    return diagnostics.text();
  }
  Pairing pairing = pair_models(models->a.graph, models->b.graph, options.pairing);
  if (!pairing.pair) {
    return "the interfaces do not match";
  }
  check.steps = said.steps.size();
  Replay done = replay(*pairing.pair, said.steps, options);
  if (!done.holds) {
    return done.reason;
  }
  EquivResult found;
  found.verdict = done.exact ? EquivVerdict::EqualExact : EquivVerdict::EqualReal;
  found.fold_bound = done.bound;
  found.folded = done.folded;
  if (verdict_text(found) != said.verdict) {
    return "its steps give '" + verdict_text(found) + "'";
  }
  if (options.exact && !done.exact) {
    return "bit equality was asked for, it says, and its steps give less";
  }
  found.steps = said.steps;
  std::string expected =
      trace_json(said.models, options, found, *pairing.pair).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  return expected == text ? "" : "it says more than its steps account for; " + first_difference(expected, text);
}

EqualityCheck check_file(const fs::path& folder, const std::string& name, std::set<std::string>& covered) {
  EqualityCheck check{folder.string(), name, "", {}, 0, false, "", 0};
  auto start = std::chrono::steady_clock::now();
  FileBytes bytes = read_regular((folder / name).string(), kMostTraceBytes);
  if (!bytes.bytes) {
    check.reason = bytes.why;
    return check;
  }
  Diagnostics unreadable;
  auto said = read_equalities(std::make_shared<Source>((folder / name).string(), *bytes.bytes), unreadable);
  check.reason =
      said ? replayed(folder, *said, *bytes.bytes, covered, check) : "it is no list of equalities:\n" + unreadable.text();
  check.holds = check.reason.empty();
  check.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return check;
}

}  // namespace

std::optional<Json> equality_trace(const EquivCommand& command, const EquivOptions& options, const EquivResult& result,
                                   const WeightFiles& weights, Diagnostics& diagnostics) {
  std::error_code failed;
  fs::path folder = fs::weakly_canonical(command.trace, failed).parent_path();
  auto listed = [&](const std::string& path) {
    auto bytes = read_file(path, diagnostics);
    fs::path relative = fs::weakly_canonical(path, failed).lexically_relative(folder);
    return ListedFile{relative.empty() ? path : relative.string(), content_hash(bytes.value_or(""))};
  };
  std::vector<ListedModel> models{{listed(command.a), {}}, {listed(command.b), {}}};
  for (std::size_t k = 0; k < weights.size(); ++k) {
    for (const std::string& file : weights[k]) {
      models[k].weights.push_back(listed(file));
    }
  }
  if (diagnostics.has_errors()) {
    return std::nullopt;
  }
  return trace_json(models, options, result, *result.pair);
}

std::vector<EqualityCheck> check_equalities(const std::string& folder, std::set<std::string>& covered) {
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    std::string name = at->path().filename().string();
    if (name.ends_with(kEqualitiesEnding)) {
      names.push_back(name);
    }
  }
  std::sort(names.begin(), names.end());
  std::vector<EqualityCheck> out;
  for (const std::string& name : names) {
    covered.insert(name);
    out.push_back(check_file(folder, name, covered));
  }
  return out;
}

}  // namespace vouch
