// While one lives, SIGINT, SIGTERM and SIGHUP do not end the process at once: what was started is stopped, folders are removed,
// and then the process ends by that signal. Where one of them is ignored, it stays ignored.
#pragma once

namespace vouch {

class Interruptible {
 public:
  Interruptible();
  // Restores what was; ends the process by the signal that came.
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
};

// Has a signal come?
bool interrupted();

}  // namespace vouch
