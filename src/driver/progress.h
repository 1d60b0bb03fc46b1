// A progress bar on standard error: drawn only on a terminal, redrawn at most ten times a second.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace vouch {

class Progress {
 public:
  // Draws nothing unless standard error is a terminal.
  explicit Progress(std::string label);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::size_t done, std::size_t total, const std::string& detail = {});

 private:
  std::string label_;
  bool on_terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_;
};

bool stdout_is_terminal();

}  // namespace vouch
