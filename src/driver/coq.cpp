#include "driver/coq.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "driver/coq_process.h"
#include "io/file.h"

namespace vouch {
namespace {

namespace fs = std::filesystem;

bool holds_library(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "certify/Certificate.vo", ignored);
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

bool has_coq() { return run_coqc({"--print-version"}, "/dev/null") == 0; }

std::string coq_version() {
  Diagnostics ignored;
  ScratchFolder scratch;
  std::string output = scratch.path() + "/version";
  std::istringstream said(run_coqc({"--print-version"}, output) == 0 ? read_file(output, ignored).value_or("") : "");
  std::string version;
  said >> version;
  return "Coq " + version;
}

std::optional<std::string> coq_says(const std::string& library, const std::string& text) {
  Diagnostics ignored;
  ScratchFolder scratch;
  std::string file = scratch.path() + "/Question.v";
  std::string output = scratch.path() + "/answer";
  if (scratch.path().empty() || !write_file(file, text, ignored) ||
      run_coqc({"-q", "-w", "none", "-Q", library, "Vouch", file}, output) != 0) {
    return std::nullopt;
  }
  return read_file(output, ignored);
}

}  // namespace vouch
