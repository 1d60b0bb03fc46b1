#include "driver/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "io/file.h"
#include "io/whole_json.h"

namespace vouch {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kManifestFormat = 2;

std::optional<std::map<std::string, std::string>> strings(const Json& entry, const char* member) {
  auto found = entry.find(member);
  if (found == entry.end() || !found->is_object()) {
    return std::nullopt;
  }
  std::map<std::string, std::string> result;
  for (const auto& [key, value] : found->items()) {
    if (!value.is_string()) {
      return std::nullopt;
    }
    result[key] = value.get<std::string>();
  }
  return result;
}

Json sizes_json(const SizeAssumptions& sizes) {
  return {{"facts", sizes.facts}, {"below_2_to_63", sizes.limits}, {"for_example", sizes.witness}};
}

std::optional<SizeAssumptions> read_sizes(const Json& json) {
  auto lines = [&](const char* member) -> std::optional<std::vector<std::string>> {
    auto found = json.find(member);
    bool good = found != json.end() && found->is_array() &&
                std::all_of(found->begin(), found->end(), [](const Json& line) { return line.is_string(); });
    return good ? std::optional(found->get<std::vector<std::string>>()) : std::nullopt;
  };
  auto facts = json.is_object() ? lines("facts") : std::nullopt;
  auto limits = facts ? lines("below_2_to_63") : std::nullopt;
  auto witness = limits ? lines("for_example") : std::nullopt;
  return witness ? std::optional(SizeAssumptions{*facts, *limits, *witness}) : std::nullopt;
}

std::optional<KernelEntry> read_entry(const Json& entry) {
  if (!entry.is_object() || !entry.contains("recipe") || !entry.contains("sizes")) {
    return std::nullopt;
  }
  auto sizes = read_sizes(entry["sizes"]);
  auto recipe = read_recipe(entry["recipe"]);
  auto files = strings(entry, "files");
  auto tools = strings(entry, "tools");
  if (!recipe || !sizes || !files || !tools) {
    return std::nullopt;
  }
  return KernelEntry{std::move(*recipe), std::move(*sizes), std::move(*files), std::move(*tools)};
}

}  // namespace

std::optional<Manifest> read_manifest(const std::string& path, const std::string& text, Diagnostics& diagnostics) {
  Json json = whole_json(path, text, diagnostics);
  bool good = json.is_object() && json.contains("kernels") && json["kernels"].is_object();
  auto format = good ? json.find("format") : json.end();
  if (good && (format == json.end() || !format->is_number_integer() || format->get<std::int64_t>() != kManifestFormat)) {
    diagnostics.error_at(path, fmt::format("expected a manifest of format {}, which this version writes", kManifestFormat),
                         "compile the kernels again into a new folder");
    return std::nullopt;
  }
  Manifest manifest;
  for (const auto& [name, value] : good ? json["kernels"].items() : Json::object().items()) {
    auto entry = read_entry(value);
    good = good && entry;
    if (entry) {
      manifest[name] = std::move(*entry);
    }
  }
  if (!good) {
    diagnostics.error_at(path, "this is no manifest of kernels", "remove it and compile the kernels again");
    return std::nullopt;
  }
  return manifest;
}

std::optional<Manifest> load_manifest(const std::string& path, Diagnostics& diagnostics) {
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) {
    return Manifest();
  }
  std::optional<std::string> text = read_file(path, diagnostics, 64 << 20);
  return text ? read_manifest(path, *text, diagnostics) : std::nullopt;
}

std::string print_manifest(const Manifest& manifest) {
  Json json;
  json["format"] = kManifestFormat;
  json["kernels"] = Json::object();
  for (const auto& [name, entry] : manifest) {
    json["kernels"][name] = {{"recipe", recipe_json(entry.recipe)},
                             {"sizes", sizes_json(entry.sizes)},
                             {"files", entry.files},
                             {"tools", entry.tools}};
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::map<std::string, std::string> tool_versions() { return {{"vouch", VOUCH_VERSION}, {"coq", VOUCH_COQ_VERSION}}; }

}  // namespace vouch
