// The one way to run another program: by its words, never by a shell; within limits; in a process group that ends when we do.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vouch {

struct ProcessLimits {
  std::chrono::seconds time{600};
  std::uint64_t memory = std::uint64_t{6} << 30;   // bytes of address space
  std::uint64_t written = std::uint64_t{1} << 30;  // bytes of any one file, and of what it prints
};

struct ProcessRequest {
  std::vector<std::string> words;                       // the first names the program's file (`find_program`)
  std::optional<std::vector<std::string>> environment;  // NAME=VALUE; none: that of this process
  std::string folder;                                   // in which it runs; empty: this one's
  std::string_view input;                               // what it reads
  ProcessLimits limits;
};

struct ProcessRun {
  bool ended = false;  // by itself: `status` is its exit code
  bool late = false;   // it was stopped since its time was over
  int status = 0;
  std::string said;    // what it printed
  std::string errors;  // what it printed on standard error
  std::string why;     // why it did not end: not started, killed, over a limit
  double seconds = 0;  // of processor time
};

ProcessRun run_process(const ProcessRequest& request);

// This process's environment, but for one variable.
std::vector<std::string> environment_with(std::string_view name, std::string_view value);

// Where a program is: the first of $PATH, of which only absolute folders count. Empty if it is nowhere.
std::string find_program(std::string_view name);

}  // namespace vouch
