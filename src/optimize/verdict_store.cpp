#include "optimize/verdict_store.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "io/cache_folder.h"
#include "io/file.h"
#include "io/program.h"
#include "optimize/seal.h"
#include "rule/print.h"
#include "rule/scope_json.h"
#include "support/hash.h"

namespace vouch {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

VerdictStore::VerdictStore()
    : folder_(cache_folder()), program_(program_identity()), key_(folder_.empty() ? std::string() : seal_key()) {}

std::string VerdictStore::path(const std::string& canonical) const {
  bool usable = !folder_.empty() && !program_.empty() && !key_.empty();
  return usable ? fmt::format("{}/{}.verdict", folder_,
                              content_hash(fmt::format("{}\n{}\n{}", checker_version(), program_, canonical)))
                : std::string();
}

std::optional<KeptVerdict> VerdictStore::read(const std::string& canonical) const {
  std::string file = path(canonical);
  std::error_code error;
  if (file.empty() || !std::filesystem::exists(file, error)) {
    return std::nullopt;
  }
  Diagnostics unusable;  // a damaged file is as good as none
  auto bytes = read_file(file, unusable);
  auto body = bytes ? unsealed(key_, *bytes) : std::nullopt;
  Json json = body ? Json::from_cbor(*body, true, false) : Json();
  if (!json.is_object()) {
    return std::nullopt;
  }
  bool same = json.value("text", "") == canonical && json.value("checker", "") == checker_version() &&
              json.value("program", "") == program_;
  auto kind = find_verdict(json.value("verdict", ""));
  if (!same || !kind || !json.contains("scopes")) {
    return std::nullopt;
  }
  KeptVerdict kept{*kind, json.value("reason", ""), {}};
  for (const Json& item : json.at("scopes")) {
    auto scope = read_scope(item);
    if (!scope) {
      return std::nullopt;
    }
    kept.scopes.push_back(std::move(*scope));
  }
  return kept;
}

void VerdictStore::keep(const Rule& rule, const RuleVerdict& verdict) { keep(canonical_text(rule), rule.name, verdict); }

void VerdictStore::keep(const std::string& canonical, const std::string& name, const RuleVerdict& verdict) {
  known_[canonical] = KeptVerdict{verdict.verdict, verdict.reason, verdict.scopes};
  std::string file = path(canonical);
  if (file.empty()) {
    return;
  }
  Json scopes = Json::array();
  for (const Scope& scope : verdict.scopes) {
    scopes.push_back(scope_json(scope));
  }
  Json out{{"rule", name},
           {"text", canonical},
           {"checker", checker_version()},
           {"program", program_},
           {"verdict", verdict_name(verdict.verdict)},
           {"reason", verdict.reason},
           {"scopes", std::move(scopes)}};
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  Diagnostics unwritable;  // the next run checks again
  std::string body;
  Json::to_cbor(out, body);
  write_file(file, sealed(key_, body), unwritable);
}

const KeptVerdict& VerdictStore::verdict(const Rule& rule) {
  std::string canonical = canonical_text(rule);
  auto known = known_.find(canonical);
  if (known != known_.end()) {
    return known->second;
  }
  if (auto kept = read(canonical)) {
    return known_[canonical] = std::move(*kept);
  }
  auto start = std::chrono::steady_clock::now();
  keep(canonical, rule.name, check_rule(rule, {}));
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return known_[canonical];
}

}  // namespace vouch
