#include "io/lies_in.h"

#include <algorithm>
#include <filesystem>

namespace vouch {

bool lies_in(const std::string& path, const std::string& folder) {
  std::error_code failed;
  std::filesystem::path in = std::filesystem::weakly_canonical(path, failed);
  std::filesystem::path out = failed ? in : std::filesystem::weakly_canonical(folder, failed);
  return failed || std::mismatch(out.begin(), out.end(), in.begin(), in.end()).first == out.end();
}

}  // namespace vouch
