#include "driver/coq.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <thread>

#include "certify/certificate.h"
#include "certify/derivation.h"
#include "io/file.h"

extern char** environ;

namespace vouch {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr auto kTimeLimit = std::chrono::minutes(10);

// A new folder, removed with all it holds.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (fs::temp_directory_path() / "vouch-XXXXXX").string();
    path_ = mkdtemp(pattern.data()) != nullptr ? pattern : "";
  }
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) {
      fs::remove_all(path_, ignored);
    }
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Waits for the process, at most `kTimeLimit`; nothing if it had to be killed.
std::optional<int> wait_for(pid_t process) {
  int status = 0;
  for (auto begin = Clock::now(); waitpid(process, &status, WNOHANG) == 0;) {
    if (Clock::now() - begin > kTimeLimit) {
      kill(process, SIGKILL);
      waitpid(process, &status, 0);
      return std::nullopt;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Runs a program with its output in the file `output`. Nothing if it could not be run or did not end in time.
std::optional<int> run(std::vector<std::string> words, const std::string& output) {
  std::vector<char*> argv;
  for (std::string& word : words) {
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t process = 0;
  int error = posix_spawnp(&process, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? wait_for(process) : std::nullopt;
}

bool holds_library(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "certify/Certificate.vo", ignored);
}

// The first lines of an answer.
std::string first_lines(const std::string& text, int count) {
  std::size_t end = 0;
  while (count-- > 0 && end != std::string::npos && end < text.size()) {
    end = text.find('\n', end + 1);
  }
  return text.substr(0, end);
}

// What `Print Assumptions` says at the end of `answer`.
std::string axioms_in(const std::string& answer) {
  constexpr std::string_view kClosed = "Closed under the global context";
  std::string text = answer;
  while (!text.empty() && text.back() == '\n') {
    text.pop_back();
  }
  if (text.size() >= kClosed.size() && text.compare(text.size() - kClosed.size(), kClosed.size(), kClosed) == 0) {
    return "none";
  }
  constexpr int kMostLines = 40;
  return text.empty() ? "unknown" : first_lines(text, kMostLines);
}

}  // namespace

std::optional<std::string> find_coq_library(Diagnostics& diagnostics) {
  if (const char* named = std::getenv("VOUCH_COQ_LIBRARY")) {
    if (holds_library(named)) {
      return named;
    }
    diagnostics.error_at("VOUCH_COQ_LIBRARY", fmt::format("'{}' holds no compiled Coq library", named));
    return std::nullopt;
  }
  std::error_code ignored;
  fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const fs::path& candidate : {folder / "coq", folder / "../coq", folder / "../lib/vouch/coq"}) {
    if (holds_library(candidate)) {
      return candidate.lexically_normal().string();
    }
  }
  diagnostics.error_at("coq", "the Coq library is not compiled", "run 'make verify', or set VOUCH_COQ_LIBRARY to where it is");
  return std::nullopt;
}

namespace {

// Compiles `subject` and then `check`, which speaks of it as Subject.Kernel and ends with `Print Assumptions`.
CoqAnswer compile_both(const std::string& library, const std::string& subject_text, const std::string& check_text,
                       const std::string& refusal = "the C text is not the certified one: ") {
  auto begin = Clock::now();
  CoqAnswer answer;
  ScratchFolder scratch;
  Diagnostics diagnostics;
  std::string subject = scratch.path() + "/Kernel.v";
  std::string check = scratch.path() + "/Check.v";
  if (scratch.path().empty() || !write_file(subject, subject_text, diagnostics) ||
      !write_file(check, check_text, diagnostics)) {
    answer.message = "no scratch folder can be written\n" + diagnostics.text();
    return answer;
  }
  std::string output = scratch.path() + "/output";
  for (const std::string& file : {subject, check}) {
    std::optional<int> status =
        run({"coqc", "-q", "-w", "none", "-Q", library, "Vouch", "-Q", scratch.path(), "Subject", file}, output);
    std::string said = read_file(output, diagnostics).value_or("");
    answer.accepted = status == 0;
    if (!answer.accepted) {
      answer.message = !status              ? "coqc could not be run, or ran too long"
                       : file == subject ? "Coq rejects the certificate: " + first_lines(said, 6)
                                            : refusal + first_lines(said, 6);
      break;
    }
    answer.axioms = file == check ? axioms_in(said) : "";
  }
  answer.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return answer;
}

}  // namespace

bool has_coq() { return run({"coqc", "--print-version"}, "/dev/null") == 0; }

CoqAnswer check_certificate(const std::string& library, const std::string& certificate, const std::string& c) {
  return compile_both(library, certificate, array::certificate_check("Subject.Kernel", certificate, c));
}

CoqAnswer check_derivation(const std::string& library, const std::string& derivation, const std::string& c) {
  return compile_both(library, derivation, array::derivation_check("Subject.Kernel", c));
}

CoqAnswer check_theorems(const std::string& library, const std::string& text, const std::vector<std::string>& theorems) {
  std::string all;
  for (const std::string& name : theorems) {
    all += (all.empty() ? "" : ", ") + ("@Subject.Kernel." + name);
  }
  std::string check = fmt::format("From Subject Require Kernel.\nDefinition everything := ({}).\nPrint Assumptions everything.\n",
                                  all.empty() ? "I" : all);
  return compile_both(library, text, check, "a theorem is missing: ");
}

std::vector<std::string> axiom_names(const std::string& axioms) {
  std::vector<std::string> out;
  std::istringstream lines(axioms);
  for (std::string line; std::getline(lines, line);) {
    bool is_name = !line.empty() && line[0] != ' ' && line != "Axioms:" && line != "none";
    if (is_name) {
      out.push_back(line.substr(0, line.find_first_of(" :")));
    }
  }
  return out;
}

}  // namespace vouch
