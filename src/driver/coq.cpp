#include "driver/coq.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "driver/library_texts.h"
#include "driver/shipped.h"
#include "io/file.h"
#include "support/at_signal.h"
#include "support/hash.h"

namespace vouch {
namespace {

namespace fs = std::filesystem;

bool holds_library(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "certify/Certificate.vo", ignored);
}

constexpr std::string_view kHowToMake = "run 'make verify-library', or set VOUCH_COQ_LIBRARY to where it is";

// Why what was compiled may be of another text than the one this command was built with; empty if it is of that.
std::string what_is_old(const fs::path& folder, const LibraryText& expected) {
  fs::path file = folder / expected.name;
  fs::path compiled = file.string() + "o";
  Diagnostics unread;
  auto text = read_file(file.string(), unread);
  if (!text || content_hash(*text) != expected.hash) {
    return fmt::format("{} {}", expected.name, text ? "differs" : "is not there");
  }
  std::error_code missing;
  auto when = fs::last_write_time(compiled, missing);
  if (missing) {
    return fmt::format("{} is not compiled", expected.name);
  }
  std::error_code failed;
  auto written = fs::last_write_time(file, failed);
  return failed || when < written ? fmt::format("{} is newer than what was compiled of it", expected.name) : "";
}

// The library in this folder, if it is this command's. Other files that lie there do not count.
std::optional<std::string> library_in(const fs::path& folder, Diagnostics& diagnostics) {
  for (const LibraryText& expected : library_texts()) {
    if (std::string old = what_is_old(folder, expected); !old.empty()) {
      diagnostics.error_at(folder.string(), fmt::format("this Coq library is not the one of this command: {}", old),
                           std::string(kHowToMake));
      return std::nullopt;
    }
  }
  return folder.string();
}

}  // namespace

std::optional<std::string> find_coq_library(Diagnostics& diagnostics) {
  if (const char* named = std::getenv("VOUCH_COQ_LIBRARY")) {
    if (holds_library(named)) {
      return library_in(fs::absolute(named).lexically_normal(), diagnostics);
    }
    diagnostics.error_at("VOUCH_COQ_LIBRARY", fmt::format("'{}' holds no compiled Coq library", named));
    return std::nullopt;
  }
  std::error_code ignored;
  fs::path folder = own_folder();
  for (const fs::path& candidate : {folder / "coq", folder / "../coq", folder / "../lib/vouch/coq"}) {
    if (holds_library(candidate)) {
      return library_in(candidate.lexically_normal(), diagnostics);
    }
  }
  diagnostics.error_at("coq", "the Coq library is not compiled", std::string(kHowToMake));
  return std::nullopt;
}

// Why a run gave nothing.
static std::string why_nothing(const CoqRun& run) {
  std::string said = first_lines(run.said, 3);
  return run.end == CoqEnd::NotHad ? run.why : said.empty() ? "it said nothing" : fmt::format("it said: {}", said);
}

std::optional<std::string> coq_version(std::chrono::seconds most, Diagnostics& diagnostics) {
  CoqLimits limits;
  limits.time = std::min(most, std::chrono::seconds(60));
  CoqRun run = run_coqc({"--print-version"}, limits);
  std::istringstream said(run.said);
  std::string version;
  if (run.end != CoqEnd::Accepted || !(said >> version)) {
    bool stopped = run.end == CoqEnd::NotHad && !find_program("coqc").empty();
    diagnostics.error_at("coqc", fmt::format("Coq cannot be asked: {}", why_nothing(run)),
                         stopped ? "" : "Coq 8.16 is needed: Debian's packages are coq and libcoq-stdlib");
    return std::nullopt;
  }
  return "Coq " + version;
}

CoqRun run_coq_file(const std::string& library, const std::string& folder, const std::string& subject, const std::string& name,
                    const std::string& text, const std::vector<std::string>& paths, const CoqLimits& limits) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  std::string file = fmt::format("{}/{}.v", folder, name);
  Diagnostics diagnostics;
  if (!write_file(file, text, diagnostics, Survives::ProcessEnd)) {
    return {CoqEnd::NotHad, "", "the file for Coq cannot be written: " + diagnostics.text(), 0};
  }
  std::vector<std::string> words{"-q", "-w", "none", "-Q", library, "Vouch", "-Q", folder, subject};
  words.insert(words.end(), paths.begin(), paths.end());
  words.push_back(file);
  return run_coqc(std::move(words), limits);
}

std::optional<std::string> coq_says(const std::string& library, const std::string& text, Diagnostics& diagnostics) {
  ScratchFolder scratch;
  CoqRun run = scratch.path().empty() ? CoqRun{CoqEnd::NotHad, "", no_scratch_folder(), 0}
                                      : run_coq_file(library, scratch.path(), "Question", "Question", text, {}, {});
  if (run.end != CoqEnd::Accepted) {
    diagnostics.error_at("coqc", fmt::format("Coq does not answer: {}", why_nothing(run)));
    return std::nullopt;
  }
  return run.said;
}

}  // namespace vouch
