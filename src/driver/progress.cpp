#include "driver/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace vouch {

// A terminal that cannot go back to the beginning of a line.
static bool is_dumb() {
  const char* terminal = std::getenv("TERM");
  return terminal == nullptr || std::string_view(terminal) == "dumb";
}

Progress::Progress(std::string label) : label_(std::move(label)), on_terminal_(isatty(STDERR_FILENO) == 1 && !is_dumb()) {}

Progress::~Progress() {
  if (drawn_) {
    std::fputs("\r\033[K", stderr);
  }
}

void Progress::update(std::size_t done, std::size_t total, const std::string& detail) {
  auto now = std::chrono::steady_clock::now();
  if (!on_terminal_ || (drawn_ && done != total && now - last_ < std::chrono::milliseconds(100))) {
    return;
  }
  last_ = now;
  drawn_ = true;
  constexpr std::size_t kWidth = 24;
  std::size_t filled = total == 0 ? kWidth : kWidth * done / total;
  fmt::print(stderr, "\r\033[K{} [{}{}] {}/{} {}", label_, std::string(filled, '='), std::string(kWidth - filled, ' '), done,
             total, detail.substr(0, 40));
  std::fflush(stderr);
}

bool stdout_is_terminal() { return isatty(STDOUT_FILENO) == 1; }

}  // namespace vouch
