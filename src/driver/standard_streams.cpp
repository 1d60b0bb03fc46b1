#include "driver/standard_streams.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

namespace vouch {
namespace {

// `ferror` remembers an error, and not which.
int failed_with = 0;

void note_failure() { failed_with = failed_with == 0 ? errno : failed_with; }

}  // namespace

bool prepare_streams() {
  bool shows = fcntl(STDOUT_FILENO, F_GETFD) >= 0;
  for (int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) < 0) {
      // Takes the lowest that is free. What was closed cannot be read from: `-` is an error then, and no empty file.
      (void)!open("/dev/null", O_WRONLY);
    }
  }
  signal(SIGPIPE, SIG_IGN);
  if (!shows) {
    fmt::print(stderr, "standard output: error: it is closed, and nothing is done\n  hint: '> /dev/null' leaves it out\n");
  }
  return shows;
}

void flush_output() {
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    note_failure();
    throw std::system_error(failed_with, std::generic_category(), "standard output");
  }
}

int end_output(ExitCode code, int error) {
  failed_with = failed_with == 0 ? error : failed_with;
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) {
    return static_cast<int>(code);
  }
  note_failure();
  if (failed_with == EPIPE) {
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
  }
  fmt::print(stderr, "standard output: error: it cannot be written: {}\n", std::strerror(failed_with));
  return static_cast<int>(code == ExitCode::Ok ? ExitCode::BadInput : code);
}

}  // namespace vouch
