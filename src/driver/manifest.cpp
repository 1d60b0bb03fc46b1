#include "driver/manifest.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "io/file.h"

namespace vouch {

std::optional<Manifest> read_manifest(const std::string& path, Diagnostics& diagnostics) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    return Manifest();
  }
  std::optional<std::string> text = read_file(path, diagnostics, 64 << 20);
  if (!text) {
    return std::nullopt;
  }
  using Json = nlohmann::json;
  Json json = Json::parse(*text, nullptr, false);
  auto strings = [](const Json& object) {
    std::map<std::string, std::string> result;
    for (const auto& [key, value] : object.items()) {
      result[key] = value.is_string() ? value.get<std::string>() : "";
    }
    return result;
  };
  bool good = json.is_object() && json.contains("kernels") && json["kernels"].is_object();
  Manifest manifest;
  if (good) {
    for (const auto& [name, entry] : json["kernels"].items()) {
      good = good && entry.is_object() && entry.contains("files") && entry["files"].is_object() && entry.contains("tools") &&
             entry["tools"].is_object() && entry.contains("source") && entry["source"].is_string();
      if (good) {
        manifest[name] = {entry["source"].get<std::string>(), strings(entry["files"]), strings(entry["tools"])};
      }
    }
  }
  if (!good) {
    diagnostics.error_at(path, "this is no manifest of kernels", "remove it and compile the kernels again");
    return std::nullopt;
  }
  return manifest;
}

std::string print_manifest(const Manifest& manifest) {
  nlohmann::ordered_json json;
  json["format"] = 1;
  json["kernels"] = nlohmann::ordered_json::object();
  for (const auto& [name, entry] : manifest) {
    json["kernels"][name] = {{"source", entry.origin}, {"files", entry.files}, {"tools", entry.tools}};
  }
  return json.dump(2) + "\n";
}

}  // namespace vouch
