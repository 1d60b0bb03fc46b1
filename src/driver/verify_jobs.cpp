#include "driver/verify_jobs.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "driver/ninja_file.h"
#include "io/file.h"

namespace vouch {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> files_below(const std::string& folder) {
  std::set<std::string> all;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    if (at->is_regular_file(failed)) {
      all.insert(absolute_path(at->path().string()));
    }
  }
  return {all.begin(), all.end()};
}

}  // namespace

bool emit_verify_jobs(const std::vector<VerifyJob>& jobs, const VerifyCommand& command, Diagnostics& diagnostics) {
  NinjaFile file;
  file.launcher = command.launcher;
  std::vector<std::string> common{"--store", absolute_path(command.store), "--timeout", std::to_string(command.timeout)};
  std::set<std::string> known;  // equal certificates have one answer
  for (const VerifyJob& job : jobs) {
    if (!known.insert(job.entry).second) {
      continue;
    }
    NinjaJob& made = file.jobs.emplace_back();
    made.words = {this_program(), "verify", "--only", job.name};
    made.words.insert(made.words.end(), common.begin(), common.end());
    made.words.insert(made.words.end(), {"--", absolute_path(job.folder)});
    made.reads = {absolute_path(job.folder + "/manifest.json")};
    std::error_code ignored;
    if (!fs::exists(made.reads[0], ignored)) {
      made.reads = {absolute_path(job.folder + "/proofs.json")};
    }
    made.makes = {absolute_path(job.entry)};
    made.what = "verify " + job.name;
  }
  std::string report = absolute_path(command.emit.back() + ".verdicts.json");
  file.last = {{this_program(), "verify", "--json", report}, {}, {report}, "verdicts of all"};
  file.last.words.insert(file.last.words.end(), common.begin(), common.end());
  file.last.words.emplace_back("--");
  for (const std::string& folder : command.folders) {
    file.last.words.push_back(absolute_path(folder));
    for (std::string& path : files_below(folder)) {
      file.last.reads.push_back(std::move(path));
    }
  }
  auto text = print_ninja(file, diagnostics);
  if (!text || !write_file(command.emit.back(), *text, diagnostics)) {
    return false;
  }
  fmt::print("{}: {} certificates in {} jobs, answers in {}\n", command.emit.back(), jobs.size(), file.jobs.size(),
             command.store);
  return true;
}

}  // namespace vouch
