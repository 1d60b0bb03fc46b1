// Running `coqc`, in folders that go away.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace vouch {

// A new folder, removed with all it holds.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  // Empty if there could be none.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Runs `coqc` with its output in the file `output`, for at most ten minutes. The exit code; nothing if it could not be run
// or did not end in time.
std::optional<int> run_coqc(std::vector<std::string> words, const std::string& output);

// The first lines of an answer.
std::string first_lines(const std::string& text, int count);

}  // namespace vouch
