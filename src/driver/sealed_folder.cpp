#include "driver/sealed_folder.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "io/file.h"
#include "io/program.h"
#include "io/whole_json.h"
#include "optimize/seal.h"
#include "support/hash.h"

namespace vouch {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

SealedFolder::SealedFolder(const std::string& folder, std::string ending, Diagnostics& diagnostics) : ending_(std::move(ending)) {
  if (folder.empty()) {
    return;
  }
  std::error_code failed;
  fs::create_directories(folder, failed);
  program_ = program_identity();
  key_ = seal_key();
  if (failed || key_.empty() || program_.empty()) {
    diagnostics.error_at("--store",
                         failed ? fmt::format("the folder '{}' cannot be made: {}", folder, failed.message())
                                : "nothing can be sealed: this user has no key, or the program cannot be read",
                         failed ? "" : "$VOUCH_KEY names a key file; otherwise it lies in $XDG_STATE_HOME/vouch");
    return;
  }
  folder_ = folder;
}

std::string SealedFolder::whole(const std::string& subject) const { return program_ + "\n" + subject; }

std::string SealedFolder::path(const std::string& subject) const {
  return fmt::format("{}/{}{}", folder_, content_hash(keyed_hash(key_, whole(subject))), ending_);
}

std::optional<Json> SealedFolder::find(const std::string& subject) const {
  auto bytes = is_open() ? read_regular(path(subject), kMostKeptBytes).bytes : std::nullopt;
  auto body = bytes ? unsealed(key_, *bytes) : std::nullopt;
  Json json = body ? whole_json(*body) : Json();
  bool is_about_it = json.is_object() && json.contains("about") && json.at("about") == whole(subject);
  return is_about_it ? std::optional(std::move(json)) : std::nullopt;
}

bool SealedFolder::keep(const std::string& subject, Json finding, Diagnostics& diagnostics) const {
  finding["about"] = whole(subject);
  std::string body = finding.dump(-1, ' ', false, Json::error_handler_t::replace);
  return !is_open() || replace_file(path(subject), sealed(key_, body), diagnostics);
}

}  // namespace vouch
