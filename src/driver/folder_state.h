// Whether a folder is still what it was: minutes lie between the reading of a file and the answer about it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace vouch {

class FolderState {
 public:
  // As it is now. `own`: a path below it of which nothing is said, since who asks writes there; empty for none.
  FolderState(std::string folder, std::string own);

  const std::string& folder() const { return folder_; }
  // Paths below it that are new, gone, or not what they were, in order of names.
  std::vector<std::string> changes() const;

 private:
  // File, kind, length, times of its contents and of itself: who changes it leaves a mark there, but by the machine's clock.
  using Marks = std::vector<std::int64_t>;
  std::map<std::string, Marks> marks() const;

  std::string folder_;
  std::string own_;
  std::map<std::string, Marks> before_;
};

}  // namespace vouch
