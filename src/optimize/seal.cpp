#include "optimize/seal.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "io/cache_folder.h"
#include "support/hash.h"

namespace vouch {
namespace {

constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kSealLength = 64;

// Of a file that this user owns and nobody else can read; else empty.
std::string read_key(const std::string& path) {
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (file < 0) {
    return {};
  }
  struct stat status {};
  std::array<char, kKeyBytes> key{};
  bool ours = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid() &&
              (status.st_mode & 077U) == 0 && ::read(file, key.data(), key.size()) == static_cast<ssize_t>(kKeyBytes);
  ::close(file);
  return ours ? std::string(key.data(), key.size()) : std::string();
}

// Under another name first, so that whoever comes at the same time reads a whole key: the first to link wins.
void make_key(const std::string& path) {
  std::error_code error;
  if (std::filesystem::exists(path, error)) {
    return;
  }
  std::array<char, kKeyBytes> key{};
  if (::getrandom(key.data(), key.size(), 0) != static_cast<ssize_t>(kKeyBytes)) {
    return;
  }
  std::string host(256, '\0');  // the folder may be one that machines share
  ::gethostname(host.data(), host.size() - 1);
  std::string fresh = path + "." + host.c_str() + "." + std::to_string(::getpid());
  int file = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) {
    return;
  }
  bool whole = ::write(file, key.data(), key.size()) == static_cast<ssize_t>(kKeyBytes);
  ::close(file);
  if (whole) {
    (void)!::link(fresh.c_str(), path.c_str());
  }
  ::unlink(fresh.c_str());
}

}  // namespace

std::string seal_key() {
  if (const char* given = std::getenv("VOUCH_KEY"); given != nullptr && *given != '\0') {
    make_key(given);
    return read_key(given);
  }
  std::string folder = state_folder();
  if (folder.empty()) {
    return {};
  }
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  std::string path = folder + "/key";
  make_key(path);
  return read_key(path);
}

std::string sealed(std::string_view key, std::string_view body) {
  std::string out = keyed_hash(key, body);
  out.append("\n").append(body);
  return out;
}

std::optional<std::string> unsealed(std::string_view key, std::string_view text) {
  if (key.empty() || text.size() <= kSealLength || text[kSealLength] != '\n') {
    return std::nullopt;
  }
  std::string_view body = text.substr(kSealLength + 1);
  return keyed_hash(key, body) == text.substr(0, kSealLength) ? std::optional(std::string(body)) : std::nullopt;
}

}  // namespace vouch
