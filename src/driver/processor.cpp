#include "driver/processor.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

namespace vouch {
namespace {

constexpr const char* kNative = "native";

std::vector<std::string> target_words() {
  std::vector<std::string> words{kNative};
  std::transform(std::begin(kTileTargets), std::end(kTileTargets), std::back_inserter(words),
                 [](const TileTarget& target) { return target.name; });
  return words;
}

}  // namespace

std::string native_target() {
#if defined(__x86_64__) || defined(__i386__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("fma")) {
    return "avx512";
  }
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? "avx2" : "generic";
#else
  return "generic";
#endif
}

CLI::Option* add_target(CLI::App& app, std::string& target, const std::string& what) {
  return app.add_option("--target", target, what)->check(CLI::IsMember(target_words()))->type_name("native|avx512|avx2|generic");
}

std::string target_name(const std::string& said) { return said == kNative ? native_target() : said; }

void put_target(nlohmann::ordered_json& json, const std::string& target) {
  if (target != kTileTargets[0].name) {
    json["target"] = target;
  }
}

std::optional<std::string> read_target(const nlohmann::ordered_json& json) {
  auto said = json.find("target");
  if (said == json.end()) {
    return kTileTargets[0].name;
  }
  bool known = said->is_string() && tile_target(said->get<std::string>()) != nullptr;
  return known ? std::optional(said->get<std::string>()) : std::nullopt;
}

}  // namespace vouch
