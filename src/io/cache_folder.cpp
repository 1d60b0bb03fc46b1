#include "io/cache_folder.h"

#include <cstdlib>

namespace vouch {

std::string cache_folder() {
  if (const char* given = std::getenv("VOUCH_CACHE")) {
    return given;
  }
  if (const char* cache = std::getenv("XDG_CACHE_HOME")) {
    return std::string(cache) + "/vouch";
  }
  const char* home = std::getenv("HOME");
  return home != nullptr ? std::string(home) + "/.cache/vouch" : std::string();
}

}  // namespace vouch
