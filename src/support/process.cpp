#include "support/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <thread>

#include "support/at_signal.h"

namespace vouch {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kNotStarted = 127;
constexpr std::uint64_t kMostSaid = 256 << 20;

// A file in memory, so that nothing is left behind whatever happens.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name) : fd_(memfd_create(name, MFD_CLOEXEC)) {}
  ~MemoryFile() {
    if (fd_ >= 0) {
      close(fd_);
    }
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  int get() const { return fd_; }

  bool fill(std::string_view bytes) const {
    while (fd_ >= 0 && !bytes.empty()) {
      ssize_t written = write(fd_, bytes.data(), bytes.size());
      if (written < 0 && errno != EINTR) {
        return false;
      }
      bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
    }
    return fd_ >= 0 && lseek(fd_, 0, SEEK_SET) == 0;
  }

  std::optional<std::string> text() const {
    off_t size = lseek(fd_, 0, SEEK_END);
    if (size < 0 || static_cast<std::uint64_t>(size) > kMostSaid) {
      return std::nullopt;
    }
    std::string out(static_cast<std::size_t>(size), '\0');
    for (std::size_t at = 0; at < out.size();) {
      ssize_t got = pread(fd_, out.data() + at, out.size() - at, static_cast<off_t>(at));
      if (got == 0 || (got < 0 && errno != EINTR)) {
        return std::nullopt;
      }
      at += static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    }
    return out;
  }

 private:
  int fd_;
};

double seconds_of(const timeval& time) { return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6; }

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) {
    out.push_back(text.data());
  }
  out.push_back(nullptr);
  return out;
}

void limit(int resource, std::uint64_t most) {
  rlimit have{};
  if (getrlimit(resource, &have) == 0) {
    rlim_t least = std::min<rlim_t>(most, have.rlim_max);
    rlimit wanted{std::min(least, have.rlim_cur), least};
    setrlimit(resource, &wanted);
  }
}

struct Child {
  std::vector<char*> argv;
  char** environment = nullptr;
  const char* folder = nullptr;
  int in = -1;
  int out = -1;
  int errors = -1;
  ProcessLimits limits;
};

// Between `fork` and `exec`: system calls alone.
[[noreturn]] void become(const Child& child, pid_t parent) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  signal(SIGXFSZ, SIG_IGN);  // so that writing too much is an error that the program tells
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  limit(RLIMIT_AS, child.limits.memory);
  limit(RLIMIT_FSIZE, child.limits.written);
  limit(RLIMIT_CPU, static_cast<std::uint64_t>(child.limits.time.count()) + 1);
  limit(RLIMIT_CORE, 0);
  bool ready = getppid() == parent && (child.folder == nullptr || chdir(child.folder) == 0);
  if (ready && dup2(child.in, 0) == 0 && dup2(child.out, 1) == 1 && dup2(child.errors, 2) == 2) {
    execve(child.argv[0], child.argv.data(), child.environment);
  }
  _exit(kNotStarted);
}

// Waits for the process; why it had to be killed, if it had.
std::string wait_for(pid_t process, std::chrono::seconds most, int& status, rusage& used, bool& late) {
  for (auto begin = Clock::now(); wait4(process, &status, WNOHANG, &used) == 0;) {
    late = Clock::now() - begin > most;
    if (late) {
      kill(-process, SIGKILL);
      kill(process, SIGKILL);
      wait4(process, &status, 0, &used);
      return fmt::format("it ran longer than {} s", most.count());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return {};
}

void finish(const std::string& program, int status, const MemoryFile& output, const MemoryFile& errors, ProcessRun& run) {
  if (WIFSIGNALED(status)) {
    run.why = fmt::format("{} was ended by signal {}", program, WTERMSIG(status));
    return;
  }
  if (WEXITSTATUS(status) == kNotStarted) {
    run.why = program + " could not be started";
    return;
  }
  auto said = output.text();
  auto complained = errors.text();
  if (!said || !complained) {
    run.why = fmt::format("what {} said could not be kept", program);
    return;
  }
  run.said = std::move(*said);
  run.errors = std::move(*complained);
  run.ended = true;
  run.status = WEXITSTATUS(status);
}

}  // namespace

ProcessRun run_process(const ProcessRequest& request) {
  ProcessRun run;
  std::vector<std::string> words = request.words;
  std::string program = std::filesystem::path(words.at(0)).filename().string();
  std::vector<std::string> variables = request.environment.value_or(std::vector<std::string>{});
  std::vector<char*> environment = pointers(variables);
  MemoryFile input("input");
  MemoryFile output("output");
  MemoryFile errors("errors");
  Child child{pointers(words),
              request.environment ? environment.data() : environ,
              request.folder.empty() ? nullptr : request.folder.c_str(),
              input.get(),
              output.get(),
              errors.get(),
              request.limits};
  pid_t parent = getpid();
  if (!input.fill(request.input) || output.get() < 0 || errors.get() < 0) {
    run.why = fmt::format("{} cannot be started: {}", program, std::strerror(errno));
  } else {
    ChildGroup group([&] {
      pid_t process = fork();
      if (process == 0) {
        become(child, parent);
      }
      return process;
    });
    int status = 0;
    rusage used{};
    run.why = group.leader() < 0 ? fmt::format("{} cannot be started: {}", program, std::strerror(errno))
                                 : wait_for(group.leader(), request.limits.time, status, used, run.late);
    run.seconds = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
    if (run.why.empty()) {
      finish(program, status, output, errors, run);
    }
  }
  return run;
}

std::vector<std::string> environment_with(std::string_view name, std::string_view value) {
  std::string first = fmt::format("{}=", name);
  std::vector<std::string> all{fmt::format("{}{}", first, value)};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!std::string_view(*variable).starts_with(first)) {
      all.emplace_back(*variable);
    }
  }
  return all;
}

std::string find_program(std::string_view name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    // None of the working folder, which may be a stranger's: `.` or nothing in the variable.
    std::filesystem::path at = std::filesystem::path(folder) / name;
    std::error_code failed;
    std::string file = at.is_absolute() ? at.string() : "";
    if (!file.empty() && access(file.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(file, failed)) {
      return file;
    }
  }
  return {};
}

}  // namespace vouch
