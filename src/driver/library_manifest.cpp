#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "driver/library_recipe.h"
#include "driver/manifest.h"
#include "driver/processor.h"
#include "driver/targets.h"
#include "io/whole_json.h"
#include "support/hash.h"

namespace vouch {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kLibraryFormat = 4;
constexpr std::int64_t kMostSize = std::int64_t{1} << 40;

Json tensors_json(const Library& library, const std::vector<PlanTensor>& tensors, const std::vector<std::string>& names) {
  Json out = Json::array();
  for (std::size_t k = 0; k < tensors.size(); ++k) {
    out.push_back({{"name", tensors[k].name},
                   {"parameter", names[k]},
                   {"type", dtype_name(dtype_of(element_of(library, tensors[k])))},
                   {"dims", tensors[k].extents},
                   {"cells", library.plan.values[tensors[k].value].cells}});
  }
  return out;
}

Json cells_json(const CellCounts& counts) {
  Json out = Json::object();
  for (std::size_t type = 0; type < counts.size(); ++type) {
    out[dtype_name(dtype_of(static_cast<array::Element>(type)))] = counts[type];
  }
  return out;
}

Json calls_json(const Library& library) {
  static constexpr const char* kBuffers[] = {"input", "output", "weights", "arena"};
  Json out = Json::array();
  for (const PlanCall& call : library.plan.calls) {
    const Place& place = *library.memory.places[call.result];
    Json nodes = Json::array();
    for (const PlanNode& node : call.nodes) {
      nodes.push_back({{"name", node.name}, {"op", node.op}});
    }
    out.push_back({{"nodes", nodes},
                   {"kernel", library.plan.kernels[call.kernel].name},
                   {"result", kBuffers[static_cast<int>(place.buffer)]},
                   {"offset", place.offset},
                   {"cells", library.plan.values[call.result].cells}});
  }
  return out;
}

Json memory_json(const MemoryPlan& memory) {
  return {{"weight_cells", cells_json(memory.weights)},
          {"arena_cells", cells_json(memory.arena)},
          {"weight_bytes", memory.weight_bytes()},
          {"arena_bytes", memory.arena_bytes},
          {"least_bytes", memory.least_bytes}};
}

// The sizes that it is told when it is called, in the order of its parameters.
Json told_json(const Library& library) {
  Json out = Json::array();
  for (const LibrarySize& size : library.sizes) {
    out.push_back({{"name", size.name}, {"parameter", size.parameter}, {"values", size.values}});
  }
  return out;
}

// What each choice of them has.
Json plans_json(const Library& library) {
  Json out = Json::array();
  for (const Library& plan : library.plans) {
    Json at = Json::object();
    for (std::size_t s = 0; s < library.sizes.size(); ++s) {
      at[library.sizes[s].name] = plan.at[s];
    }
    out.push_back({{"name", plan.plan.name},
                   {"sizes", at},
                   {"inputs", tensors_json(plan, plan.plan.inputs, plan.inputs)},
                   {"outputs", tensors_json(plan, plan.plan.outputs, plan.outputs)},
                   {"memory", memory_json(plan.memory)},
                   {"calls", calls_json(plan)}});
  }
  return out;
}

Json recipe_json(const LibraryRecipe& recipe) {
  Json sizes = Json::object();
  for (const auto& [name, values] : recipe.sizes) {
    sizes[name] = values.size() == 1 ? Json(values[0]) : Json(values);
  }
  Json out{{"name", recipe.name},
           {"model", recipe.model},
           {"sizes", sizes},
           {"embed", recipe.options.embed},
           {"no_alloc", recipe.options.no_alloc},
           {"threads", recipe.options.threads},
           {"plain", recipe.options.plain},
           {"fma", recipe.options.fma}};
  if (recipe.options.lanes) {
    out["lanes"] = true;
  }
  if (recipe.options.reorder) {
    out["reorder"] = true;
  }
  put_target(out, recipe.options.target);
  if (!recipe.options.targets.empty()) {
    out["targets"] = recipe.options.targets;
  }
  return out;
}

// One number, or several that ascend.
std::optional<std::vector<std::int64_t>> read_values(const Json& given) {
  std::vector<std::int64_t> out;
  bool several = given.is_array() && given.size() > 1;
  for (const Json& value : several ? given : Json::array({given})) {
    bool good = value.is_number_integer() && value >= 1 && value <= kMostSize && (out.empty() || value > out.back());
    if (!good) {
      return std::nullopt;
    }
    out.push_back(value);
  }
  return out;
}

std::optional<LibraryRecipe> recipe_of(const Json& json) {
  auto member = [&](const char* name) { return json.contains(name) ? json[name] : Json(); };
  bool good = json.is_object() &&
              json.size() == 8 + json.count("target") + json.count("targets") + json.count("lanes") + json.count("reorder") &&
              member("name").is_string() && member("model").is_string() && member("sizes").is_object() &&
              member("embed").is_boolean() && member("no_alloc").is_boolean() && member("threads").is_boolean() &&
              member("plain").is_boolean() && member("fma").is_boolean() &&
              (!json.contains("lanes") || json["lanes"] == Json(true)) &&
              (!json.contains("reorder") || json["reorder"] == Json(true));
  if (!good) {
    return std::nullopt;
  }
  LibraryRecipe recipe{json["name"],
                       json["model"],
                       {},
                       {json["embed"], json["no_alloc"], json["threads"], json["plain"], json["fma"], json.contains("lanes"),
                        json.contains("reorder")}};
  auto target = read_target(json);
  if (!target || (json.contains("target") && (recipe.options.plain || json.contains("targets")))) {
    return std::nullopt;
  }
  recipe.options.target = std::move(*target);
  if (json.contains("targets")) {
    auto targets = read_targets(json["targets"]);
    if (!targets || recipe.options.plain) {
      return std::nullopt;
    }
    recipe.options.targets = std::move(*targets);
  }
  if (recipe.options.reorder && recipe.options.plain) {
    return std::nullopt;
  }
  for (const auto& [name, given] : json["sizes"].items()) {
    auto values = read_values(given);
    if (!values) {
      return std::nullopt;
    }
    recipe.sizes[name] = std::move(*values);
  }
  if (how_many_plans(recipe.sizes) > kMostPlans) {
    return std::nullopt;
  }
  bool known = recipe.model == "model.onnx" || recipe.model == "model.json";
  return known && library_name(recipe.name) == recipe.name ? std::optional(recipe) : std::nullopt;
}

}  // namespace

std::string print_library_manifest(const LibraryRecipe& recipe, const BuiltLibrary& built) {
  const Library& library = built.library;
  Json files = Json::object();
  for (const auto& [file, text] : built.files) {
    files[file] = content_hash(text);
  }
  Json rules = Json::object();
  for (const auto& [rule, verdict] : built.verdicts) {
    rules[rule] = verdict;
  }
  Json out{{"vouch_library", kLibraryFormat},
           {"recipe", recipe_json(recipe)},
           {"inputs", tensors_json(library, library.plan.inputs, library.inputs)},
           {"outputs", tensors_json(library, library.plan.outputs, library.outputs)},
           {"memory", memory_json(library.memory)},
           {"weights_sha256", library.weights_hash},
           {"rules", rules},
           {"calls", calls_json(library)},
           {"files", files},
           {"tools", tool_versions()}};
  if (!library.sizes.empty()) {
    out["told"] = told_json(library);
    out["plans"] = plans_json(library);
  }
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

bool is_library_manifest(const std::string& text) {
  Json json = whole_json(text);
  return json.is_object() && json.contains("vouch_library");
}

std::optional<LibraryRecipe> read_library_manifest(const std::string& path, const std::string& text, Diagnostics& diagnostics) {
  std::size_t errors = diagnostics.error_count();
  Json json = whole_json(path, text, diagnostics);
  if (diagnostics.error_count() != errors) {
    return std::nullopt;
  }
  bool version = json.is_object() && json.contains("vouch_library") && json["vouch_library"] == kLibraryFormat;
  auto recipe = version && json.contains("recipe") ? recipe_of(json["recipe"]) : std::nullopt;
  if (!recipe) {
    diagnostics.error_at(path, fmt::format("expected the manifest of a library, version {}, with its recipe", kLibraryFormat));
  }
  return recipe;
}

}  // namespace vouch
