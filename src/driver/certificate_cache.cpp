#include "driver/certificate_cache.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "io/cache_folder.h"
#include "io/file.h"
#include "io/lies_in.h"
#include "io/whole_json.h"
#include "optimize/seal.h"
#include "support/hash.h"

namespace vouch {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view kCacheFormat = "vouch certificates 2";

// Every compiled file of the library and its text; empty if one cannot be read.
std::string library_digest(const std::string& library) {
  std::set<std::string> files;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(library, failed), end; !failed && at != end; at.increment(failed)) {
    std::string extension = at->path().extension().string();
    if (extension == ".vo" || extension == ".v") {
      files.insert(at->path().string());
    }
  }
  std::string all;
  Diagnostics diagnostics;
  for (const std::string& file : files) {
    auto bytes = read_file(file, diagnostics);
    all += fmt::format("{} {}\n", content_hash(bytes.value_or("")), fs::path(file).lexically_relative(library).string());
  }
  return failed || diagnostics.has_errors() ? "" : content_hash(all);
}

// The folder is there, ours, and nobody else may write in it.
bool is_private(const std::string& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  struct stat status {};
  return lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
         (status.st_mode & 022) == 0;
}

}  // namespace

CertificateCache::CertificateCache(const std::string& store, const std::string& library, const std::string& coq_version,
                                   const std::vector<std::string>& verified, bool again)
    : again_(again) {
  std::string folder = store.empty() ? cache_folder() : store;
  std::string digest = folder.empty() ? "" : library_digest(library);
  bool apart = std::none_of(verified.begin(), verified.end(), [&](const std::string& one) { return lies_in(folder, one); });
  if (!digest.empty() && apart && is_private(folder + "/certificates")) {
    seal_ = seal_key();
    folder_ = seal_.empty() ? "" : folder + "/certificates";
    common_ = fmt::format("{}, {}, {}", kCacheFormat, coq_version, digest);
  }
}

std::string CertificateCache::key(const std::vector<std::string>& parts) const {
  std::string all = common_;
  for (const std::string& part : parts) {
    all += "\n" + content_hash(part);
  }
  return content_hash(all);
}

std::string CertificateCache::path(const std::string& key) const { return fmt::format("{}/{}.json", folder_, key); }

std::optional<CoqAnswer> CertificateCache::find(const std::string& key) const {
  constexpr std::uint64_t kMost = 1 << 20;
  // A damaged file is as good as none.
  auto text = folder_.empty() || again_ ? std::nullopt : read_regular(path(key), kMost).bytes;
  auto body = text ? unsealed(seal_, *text) : std::nullopt;
  Json kept = body ? whole_json(*body) : Json();
  auto axioms = kept.is_object() ? kept.find("axioms") : kept.end();
  bool good = kept.is_object() && axioms != kept.end() && axioms->is_string() && kept.value("holds", Json()) == key;
  return good ? std::optional(CoqAnswer{CoqWord::Holds, axioms->get<std::string>(), "", 0, CoqWord::Holds}) : std::nullopt;
}

void CertificateCache::keep(const std::string& key, const CoqAnswer& answer) const {
  if (!folder_.empty() && answer.word == CoqWord::Holds) {
    Diagnostics unwritable;  // the next run asks again
    Json kept{{"holds", key}, {"axioms", answer.axioms}};
    replace_file(path(key), sealed(seal_, kept.dump() + "\n"), unwritable);
  }
}

}  // namespace vouch
