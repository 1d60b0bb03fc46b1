#include "support/at_signal.h"

#include <fmt/format.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <set>
#include <thread>

#include "support/displayable.h"

namespace vouch {
namespace {

namespace fs = std::filesystem;

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

// A handler may post a semaphore and little else, so that a thread of its own does the work; it is started with the first thing
// that has to be cleaned up. All of this is never destroyed: a signal may come while the process ends.
struct Registry {
  std::mutex mutex;
  std::multiset<std::string> paths;
  std::set<pid_t> groups;
  bool watched = false;
  sem_t wake{};
  std::atomic<int> came = 0;
};

Registry& registry() {
  static auto* one = new Registry;
  return *one;
}

std::atomic<Registry*> handled = nullptr;  // set once the handler may run
static_assert(std::atomic<Registry*>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

[[noreturn]] void end_by(int number) {
  signal(number, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, number);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  kill(getpid(), number);
  for (;;) {
    pause();
  }
}

// Keeps the lock: nothing is started or made from here on.
[[noreturn]] void clean_up_and_end(Registry& all) {
  all.mutex.lock();
  for (pid_t group : all.groups) {
    kill(-group, SIGKILL);
  }
  std::error_code ignored;
  constexpr int kTries = 5;  // other threads may still be writing into a folder
  for (int k = 0; k < kTries; ++k) {
    for (const std::string& path : all.paths) {
      fs::remove_all(path, ignored);
    }
  }
  end_by(all.came);
}

// Under the lock.
void watch(Registry& all) {
  if (handled.load() == nullptr || all.watched) {
    return;
  }
  std::thread([&all] {
    while (sem_wait(&all.wake) != 0 || all.came == 0) {
    }
    clean_up_and_end(all);
  }).detach();
  all.watched = true;
}

void on_signal(int number) {
  Registry* all = handled.load();
  all->came = number;
  sem_post(&all->wake);
}

}  // namespace

void clean_up_on_signals() {
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  if (handled.load() != nullptr) {
    return;
  }
  sem_init(&all.wake, 0, 0);
  handled = &all;
  try {
    watch(all);
  } catch (const std::system_error&) {  // no thread can be had: signals end the process as they do without us
    handled = nullptr;
    return;
  }
  struct sigaction ours {};
  ours.sa_handler = on_signal;
  ours.sa_flags = SA_RESTART;
  for (int number : kSignals) {
    struct sigaction before {};
    sigaction(number, nullptr, &before);
    if (before.sa_handler != SIG_IGN) {
      sigaction(number, &ours, nullptr);
    }
  }
}

GoesAtSignal::GoesAtSignal(const std::function<std::string()>& make) {
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  path_ = make();
  if (!path_.empty()) {
    all.paths.insert(path_);
  }
}

GoesAtSignal::~GoesAtSignal() {
  if (path_.empty()) {
    return;
  }
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  all.paths.erase(all.paths.find(path_));
}

ChildGroup::ChildGroup(const std::function<pid_t()>& fork) {
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  leader_ = fork();
  if (leader_ > 0) {
    all.groups.insert(leader_);
  }
}

ChildGroup::~ChildGroup() {
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  all.groups.erase(leader_);
}

ScratchFolder::ScratchFolder() {
  Registry& all = registry();
  std::error_code failed;
  fs::path temporary = fs::temp_directory_path(failed);
  fs::path whole = failed ? fs::path() : fs::absolute(temporary, failed);
  std::string pattern = (whole / "vouch-XXXXXX").string();
  std::lock_guard lock(all.mutex);
  path_ = !failed && mkdtemp(pattern.data()) != nullptr ? pattern : "";
  if (!path_.empty()) {
    all.paths.insert(path_);
  }
}

std::string no_scratch_folder() {
  const char* named = getenv("TMPDIR");
  bool given = named != nullptr && *named != 0;
  return fmt::format("no scratch folder can be made in {}, {}", given ? displayable(named) : "/tmp",
                     given ? "which $TMPDIR names" : "and $TMPDIR names no other place");
}

ScratchFolder::~ScratchFolder() {
  if (path_.empty()) {
    return;
  }
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  all.paths.erase(all.paths.find(path_));
}

}  // namespace vouch
