#include "driver/verdict_store.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "io/file.h"
#include "io/json_text.h"
#include "support/hash.h"

namespace vouch {
namespace {

std::string store_folder() {
  if (const char* given = std::getenv("VOUCH_CACHE")) {
    return given;
  }
  if (const char* cache = std::getenv("XDG_CACHE_HOME")) {
    return std::string(cache) + "/vouch";
  }
  const char* home = std::getenv("HOME");
  return home != nullptr ? std::string(home) + "/.cache/vouch" : std::string();
}

}  // namespace

VerdictStore::VerdictStore() : folder_(store_folder()) {
  Diagnostics unread;  // without the program's bytes nothing is kept
  auto bytes = read_file("/proc/self/exe", unread);
  program_ = bytes ? content_hash(*bytes) : std::string();
}

std::string VerdictStore::path(const Rule& rule) const {
  bool usable = !folder_.empty() && !program_.empty();
  return usable ? fmt::format("{}/{}.json", folder_,
                              content_hash(fmt::format("{} {} {}", rule.content_hash, checker_version(), program_)))
                : std::string();
}

std::optional<KeptVerdict> VerdictStore::read(const Rule& rule) const {
  std::string file = path(rule);
  std::error_code error;
  if (file.empty() || !std::filesystem::exists(file, error)) {
    return std::nullopt;
  }
  Diagnostics unusable;  // a damaged file is as good as none
  auto bytes = read_file(file, unusable);
  auto text = bytes ? JsonText::parse(std::make_shared<Source>(file, std::move(*bytes)), unusable) : std::nullopt;
  auto verdict = text ? text->root().member("verdict", unusable) : std::nullopt;
  auto kind = verdict ? find_verdict(verdict->string(unusable).value_or("")) : std::nullopt;
  auto sites = kind ? text->root().member("sites", unusable) : std::nullopt;
  if (!sites || sites->kind() != JsonKind::Object) {
    return std::nullopt;
  }
  KeptVerdict kept{*kind, {}, {}};
  if (auto reason = text->root().find("reason")) {
    kept.reason = reason->string(unusable).value_or("");
  }
  for (JsonValue site : sites->items()) {
    auto proven = find_verdict(site.string(unusable).value_or(""));
    if (!proven) {
      return std::nullopt;
    }
    kept.sites.emplace(site.key(), *proven);
  }
  return kept;
}

void VerdictStore::keep(const Rule& rule, const RuleVerdict& verdict) {
  KeptVerdict kept{verdict.verdict, verdict.reason, verdict.sites};
  nlohmann::ordered_json out{{"rule", rule.name}, {"verdict", verdict_name(kept.kind)}, {"reason", kept.reason}};
  auto& sites = out["sites"] = nlohmann::ordered_json::object();
  for (const auto& [key, kind] : kept.sites) {
    sites[key] = verdict_name(kind);
  }
  known_[rule.content_hash] = std::move(kept);
  std::string file = path(rule);
  if (file.empty()) {
    return;
  }
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  Diagnostics unwritable;  // the next run checks again
  write_file(file, out.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace), unwritable);
}

const KeptVerdict& VerdictStore::verdict(const Rule& rule) {
  auto known = known_.find(rule.content_hash);
  if (known != known_.end()) {
    return known->second;
  }
  if (auto kept = read(rule)) {
    return known_[rule.content_hash] = std::move(*kept);
  }
  keep(rule, check_rule(rule, {}));
  return known_[rule.content_hash];
}

}  // namespace vouch
