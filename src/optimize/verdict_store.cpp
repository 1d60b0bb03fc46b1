#include "optimize/verdict_store.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "io/cache_folder.h"
#include "io/file.h"
#include "io/program.h"
#include "optimize/seal.h"
#include "rule/print.h"
#include "rule/scope_bytes.h"
#include "support/bytes.h"
#include "support/hash.h"
#include "support/parallel.h"

namespace vouch {

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
  auto bytes = file.empty() ? std::nullopt : read_regular(file, kMostKeptBytes).bytes;
  auto body = bytes ? unsealed(key_, *bytes) : std::nullopt;
  try {
    return body ? read_body(*body, canonical) : std::nullopt;
  } catch (const BadBytes&) {  // a damaged file is as good as none
    return std::nullopt;
  }
}

std::optional<KeptVerdict> VerdictStore::read_body(std::string_view body, const std::string& canonical) const {
  ByteReader in(body);
  in.text();  // the rule's name is for those who look into the folder
  const std::string& checker = checker_version();
  for (std::string_view asked : {std::string_view(canonical), std::string_view(checker), std::string_view(program_)}) {
    if (in.text() != asked) {
      return std::nullopt;
    }
  }
  auto kind = find_verdict(in.text());
  std::string reason(in.text());
  auto scopes = read_scope_bytes(in.text());
  if (!kind || !scopes || !in.empty()) {
    return std::nullopt;
  }
  return KeptVerdict{*kind, std::move(reason), std::make_shared<const std::vector<Scope>>(std::move(*scopes))};
}

void VerdictStore::keep(const Rule& rule, const RuleVerdict& verdict) { keep(canonical_text(rule), rule.name, verdict); }

void VerdictStore::keep(const std::string& canonical, const std::string& name, const RuleVerdict& verdict) {
  known_[canonical] = KeptVerdict{verdict.verdict, verdict.reason, std::make_shared<const std::vector<Scope>>(verdict.scopes)};
  std::string file = path(canonical);
  if (file.empty()) {
    return;
  }
  ByteWriter body;
  const std::string& checker = checker_version();
  for (std::string_view text : {std::string_view(name), std::string_view(canonical), std::string_view(checker),
                                std::string_view(program_), verdict_name(verdict.verdict), std::string_view(verdict.reason)}) {
    body.text(text);
  }
  body.text(scope_bytes(verdict.scopes));
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  Diagnostics unwritable;  // the next run checks again
  replace_file(file, sealed(key_, body.bytes()), unwritable);
}

const KeptVerdict* VerdictStore::known(const std::string& canonical) {
  auto found = known_.find(canonical);
  if (found != known_.end()) {
    return &found->second;
  }
  auto kept = read(canonical);
  return kept ? &(known_[canonical] = std::move(*kept)) : nullptr;
}

const KeptVerdict* VerdictStore::find(const Rule& rule) {
  std::lock_guard lock(one_at_a_time_);
  return known(canonical_text(rule));
}

void VerdictStore::prove(const std::vector<const Rule*>& rules) {
  struct Asked {
    const Rule* rule;
    std::string canonical;
    RuleVerdict verdict;
  };
  std::lock_guard lock(one_at_a_time_);
  std::vector<Asked> asked;
  for (const Rule* rule : rules) {
    std::string canonical = canonical_text(*rule);
    if (known(canonical) == nullptr) {
      asked.push_back({rule, std::move(canonical), {}});
    }
  }
  auto start = std::chrono::steady_clock::now();
  for_all(asked.size(), jobs_for(0), [&](std::size_t k) { asked[k].verdict = check_rule(*asked[k].rule, {}); });
  for (const Asked& one : asked) {
    keep(one.canonical, one.rule->name, one.verdict);
  }
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

const KeptVerdict& VerdictStore::verdict(const Rule& rule) {
  if (const KeptVerdict* kept = find(rule)) {
    return *kept;
  }
  prove({&rule});
  std::lock_guard lock(one_at_a_time_);
  return known_[canonical_text(rule)];
}

}  // namespace vouch
