#include "io/cache_folder.h"

#include <cstdlib>
#include <string_view>

namespace vouch {
namespace {

// Of the XDG Base Directory Specification 0.8: an empty or relative path is as good as none.
std::string user_folder(const char* variable, std::string_view below_home) {
  auto whole = [](const char* value) { return value != nullptr && value[0] == '/'; };
  if (const char* given = std::getenv(variable); whole(given)) {
    return std::string(given) + "/vouch";
  }
  const char* home = std::getenv("HOME");
  return whole(home) ? std::string(home) + std::string(below_home) + "/vouch" : std::string();
}

}  // namespace

std::string cache_folder() {
  const char* given = std::getenv("VOUCH_CACHE");
  return given != nullptr && *given != '\0' ? std::string(given) : user_folder("XDG_CACHE_HOME", "/.cache");
}

std::string state_folder() { return user_folder("XDG_STATE_HOME", "/.local/state"); }

}  // namespace vouch
