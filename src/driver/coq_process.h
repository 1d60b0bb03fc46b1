// Running `coqc`, in folders that go away: with an environment of its own, nothing in its working folder, within limits of
// memory, time and bytes written, in a process group that ends when we do.
#pragma once

#include <chrono>
#include <cstdint>
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

struct CoqLimits {
  std::chrono::seconds time{600};
  std::uint64_t memory = std::uint64_t{6} << 30;
  std::uint64_t written = std::uint64_t{1} << 30;  // bytes of any one file
};

// `Accepted` and `Refused` are Coq's words; `NotHad` means that it had none: it could not be started, was killed, ran into a
// limit, or could not write.
enum class CoqEnd { Accepted, Refused, NotHad };

struct CoqRun {
  CoqEnd end = CoqEnd::NotHad;
  std::string said;    // what it printed
  std::string why;     // NotHad: the reason
  double seconds = 0;  // of processor time
};

// Runs `coqc` with these words. Files are to be named by their whole paths.
CoqRun run_coqc(std::vector<std::string> words, const CoqLimits& limits);

// The first lines of an answer.
std::string first_lines(const std::string& text, int count);

}  // namespace vouch
