// What must not outlive the process: temporary files, scratch folders, processes that were started. Where `clean_up_on_signals`
// was called, SIGINT, SIGTERM, SIGHUP and SIGQUIT remove and end all of these before the process ends by that signal.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

namespace vouch {

// For programs of our own, before any thread is started; a library leaves signals alone. What is ignored stays ignored.
void clean_up_on_signals();

// Calls `make`, which makes a file or a folder and returns its path (empty if it could not), so that no signal finds it made and
// not yet known. It goes, with all it holds, if a signal comes while this lives. Removes nothing by itself.
class GoesAtSignal {
 public:
  explicit GoesAtSignal(const std::function<std::string()>& make);
  ~GoesAtSignal();
  GoesAtSignal(const GoesAtSignal&) = delete;
  GoesAtSignal& operator=(const GoesAtSignal&) = delete;

 private:
  std::string path_;
};

// Calls `fork`, which returns the leader of a new process group, so that no signal finds it started and not yet known.
class ChildGroup {
 public:
  explicit ChildGroup(const std::function<pid_t()>& fork);
  ~ChildGroup();
  ChildGroup(const ChildGroup&) = delete;
  ChildGroup& operator=(const ChildGroup&) = delete;
  pid_t leader() const { return leader_; }

 private:
  pid_t leader_;
};

// A new folder, removed with all it holds: when this ends, or a signal comes.
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

// What is said where there could be none: where it was to be, and who says so.
std::string no_scratch_folder();

}  // namespace vouch
