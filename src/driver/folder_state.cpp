#include "driver/folder_state.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace vouch {

namespace fs = std::filesystem;

FolderState::FolderState(std::string folder, std::string own)
    : folder_(std::move(folder)), own_(std::move(own)), before_(marks()) {}

std::map<std::string, FolderState::Marks> FolderState::marks() const {
  std::map<std::string, Marks> out;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder_, failed), end; !failed && at != end; at.increment(failed)) {
    std::string path = at->path().lexically_relative(folder_).string();
    struct stat status {};
    if (path == own_ || lstat(at->path().c_str(), &status) != 0) {
      continue;
    }
    Marks& marks = out[path];
    marks = {static_cast<std::int64_t>(status.st_dev), static_cast<std::int64_t>(status.st_ino), status.st_mode};
    if (!S_ISDIR(status.st_mode)) {  // what changes in a folder is said of what lies there
      marks.insert(marks.end(), {status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec,
                                 status.st_ctim.tv_nsec});
    }
  }
  return out;
}

std::vector<std::string> FolderState::changes() const {
  std::map<std::string, Marks> now = marks();
  std::vector<std::string> out;
  for (const auto& [path, marks] : before_) {
    auto found = now.find(path);
    if (found == now.end() || found->second != marks) {
      out.push_back(path);
    }
  }
  for (const auto& [path, marks] : now) {
    if (!before_.contains(path)) {
      out.push_back(path);
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace vouch
