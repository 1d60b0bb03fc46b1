#include "driver/coq_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <sstream>
#include <thread>

#include "driver/interruption.h"
#include "io/file.h"

namespace vouch {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kNotStarted = 127;
constexpr std::uint64_t kMostSaid = 16 << 20;

// Most of a short run is memory that Coq asks for: its heap is collected seldom and grows by large steps, in huge pages where the
// kernel gives them. Both together take 40 % off the loading of a library.
constexpr const char* kHeap[] = {"OCAMLRUNPARAM=s=8M,i=16M,o=1000", "GLIBC_TUNABLES=glibc.malloc.hugetlb=1"};

double seconds_of(const timeval& time) { return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6; }

// Where `coqc` is: the first of $PATH. Empty if it is nowhere.
std::string find_coqc() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string file = fs::absolute(fs::path(folder.empty() ? "." : folder) / "coqc").string();
    if (access(file.c_str(), X_OK) == 0) {
      return file;
    }
  }
  return {};
}

// Nothing of ours: no load paths (COQPATH, OCAMLPATH, XDG_DATA_*), no other library (COQLIB), no settings of the user's.
std::vector<std::string> environment(const std::string& home) {
  std::vector<std::string> all(std::begin(kHeap), std::end(kHeap));
  all.insert(all.end(), {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"});
  for (const char* name :
       {"HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_HOME", "XDG_DATA_DIRS", "XDG_CACHE_HOME"}) {
    all.push_back(fmt::format("{}={}", name, home));
  }
  return all;
}

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
  std::vector<char*> environment;
  std::string folder;
  std::string output;
  CoqLimits limits;
};

// Between `fork` and `exec`: system calls alone.
[[noreturn]] void become(const Child& child, pid_t parent) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGXFSZ, SIG_IGN);  // so that writing too much is an error that Coq tells
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  limit(RLIMIT_AS, child.limits.memory);
  limit(RLIMIT_FSIZE, child.limits.written);
  limit(RLIMIT_CPU, static_cast<std::uint64_t>(child.limits.time.count()) + 1);
  limit(RLIMIT_CORE, 0);
  int in = open("/dev/null", O_RDONLY);
  int out = open(child.output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  bool ready = getppid() == parent && in >= 0 && out >= 0 && chdir(child.folder.c_str()) == 0;
  if (ready && dup2(in, 0) == 0 && dup2(out, 1) == 1 && dup2(out, 2) == 2) {
    execve(child.argv[0], child.argv.data(), child.environment.data());
  }
  _exit(kNotStarted);
}

// Waits for the process; why it had to be killed, if it had.
std::string wait_for(pid_t process, std::chrono::seconds most, int& status, rusage& used) {
  for (auto begin = Clock::now(); wait4(process, &status, WNOHANG, &used) == 0;) {
    bool late = Clock::now() - begin > most;
    if (late || interrupted()) {
      kill(-process, SIGKILL);
      kill(process, SIGKILL);
      wait4(process, &status, 0, &used);
      return late ? fmt::format("it ran longer than {} s", most.count()) : "it was interrupted";
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return {};
}

CoqRun run(Child& child) {
  CoqRun out;
  pid_t parent = getpid();
  pid_t process = fork();
  if (process == 0) {
    become(child, parent);
  }
  if (process < 0) {
    out.why = std::string("coqc cannot be started: ") + std::strerror(errno);
    return out;
  }
  int status = 0;
  rusage used{};
  out.why = wait_for(process, child.limits.time, status, used);
  out.seconds = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
  if (!out.why.empty()) {
    return out;
  }
  if (WIFSIGNALED(status)) {
    out.why = fmt::format("coqc was ended by signal {}", WTERMSIG(status));
  } else if (WEXITSTATUS(status) == kNotStarted) {
    out.why = "coqc could not be started";
  } else {
    Diagnostics diagnostics;
    auto said = read_file(child.output, diagnostics, kMostSaid);
    out.said = said.value_or("");
    out.why = said ? "" : "what coqc said could not be kept";
    out.end = !said ? CoqEnd::NotHad : WEXITSTATUS(status) == 0 ? CoqEnd::Accepted : CoqEnd::Refused;
  }
  return out;
}

}  // namespace

ScratchFolder::ScratchFolder() {
  std::error_code failed;
  fs::path temporary = fs::temp_directory_path(failed);
  fs::path whole = failed ? fs::path() : fs::absolute(temporary, failed);
  std::string pattern = (whole / "vouch-XXXXXX").string();
  path_ = !failed && mkdtemp(pattern.data()) != nullptr ? pattern : "";
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) {
    fs::remove_all(path_, ignored);
  }
}

CoqRun run_coqc(std::vector<std::string> words, const CoqLimits& limits) {
  static const std::string coqc = find_coqc();
  CoqRun out;
  if (coqc.empty()) {
    out.why = "coqc was not found";
    return out;
  }
  ScratchFolder scratch;
  std::string empty = scratch.path() + "/empty";
  std::error_code failed;
  if (scratch.path().empty() || !fs::create_directory(empty, failed)) {
    out.why = "no scratch folder can be made";
    return out;
  }
  words.insert(words.begin(), coqc);
  std::vector<std::string> variables = environment(empty);
  Child child{pointers(words), pointers(variables), empty, scratch.path() + "/output", limits};
  return run(child);
}

std::string first_lines(const std::string& text, int count) {
  std::size_t end = 0;
  while (count-- > 0 && end != std::string::npos && end < text.size()) {
    end = text.find('\n', end + 1);
  }
  return text.substr(0, end);
}

}  // namespace vouch
