#include "driver/equiv_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <sstream>

#include "driver/equiv_files.h"
#include "driver/equiv_report.h"
#include "io/file.h"
#include "support/parallel.h"

namespace vouch {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

// Each line of the list names two models, relative to its folder.
std::optional<Pairs> read_list(const std::string& path, Diagnostics& diagnostics) {
  auto text = read_file(path, diagnostics);
  if (!text) {
    return std::nullopt;
  }
  Pairs out;
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::istringstream lines(*text);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line);
    std::string a;
    std::string b;
    std::string more;
    if (!(words >> a) || a.starts_with('#')) {
      continue;
    }
    if (!(words >> b) || words >> more) {
      diagnostics.error_at(fmt::format("{}:{}", path, number), fmt::format("expected two models, found '{}'", line));
      return std::nullopt;
    }
    out.emplace_back((folder / a).string(), (folder / b).string());
  }
  return out;
}

// Folders below this one, at any depth, that hold two models; one that holds more is an error.
std::optional<Pairs> read_folder(const std::string& path, Diagnostics& diagnostics) {
  namespace fs = std::filesystem;
  std::map<std::string, std::vector<std::string>> models;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(path, failed), end; !failed && at != end; at.increment(failed)) {
    if (at->path().extension() == ".onnx") {
      models[at->path().parent_path().string()].push_back(at->path().string());
    }
  }
  Pairs out;
  for (auto& [folder, files] : models) {
    std::sort(files.begin(), files.end());
    auto original = std::find(files.begin(), files.end(), (fs::path(folder) / "original.onnx").string());
    if (files.size() == 2) {
      bool second = original == files.begin() + 1;
      out.emplace_back(files[second ? 1 : 0], files[second ? 0 : 1]);
    } else {
      diagnostics.error_at(folder, fmt::format("expected two models in a folder, found {}", files.size()));
    }
  }
  if (failed || (out.empty() && !diagnostics.has_errors())) {
    diagnostics.error_at(path, failed ? failed.message() : "no folder in it holds two models (.onnx)");
  }
  return diagnostics.has_errors() ? std::nullopt : std::optional(std::move(out));
}

// The worst of all codes, in the order in which a user has to act.
ExitCode worse(ExitCode a, ExitCode b) {
  for (ExitCode code : {ExitCode::BadInput, ExitCode::Refuted, ExitCode::Undecided}) {
    if (a == code || b == code) {
      return code;
    }
  }
  return ExitCode::Ok;
}

JudgedPair judged_pair(const EquivCommand& command, RegionVerdicts& verdicts, ExitCode& code) {
  Diagnostics diagnostics;
  EquivOptions options;
  options.verdicts = &verdicts;
  auto start = std::chrono::steady_clock::now();
  auto result = compare_files(command, options, false, diagnostics);
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  code = result ? code_of(*result) : ExitCode::BadInput;
  return {command.a,
          command.b,
          result ? verdict_text(*result) : "bad input",
          result ? equiv_text(*result) : diagnostics.text(),
          code == ExitCode::Ok,
          seconds};
}

}  // namespace

ExitCode judge_list(const EquivCommand& command, RegionVerdicts& verdicts) {
  Diagnostics diagnostics;
  auto pairs =
      std::filesystem::is_directory(command.list) ? read_folder(command.list, diagnostics) : read_list(command.list, diagnostics);
  if (!pairs) {
    return give_up(diagnostics);
  }
  std::vector<JudgedPair> judged(pairs->size());
  std::vector<ExitCode> codes(pairs->size(), ExitCode::Ok);
  for_all(pairs->size(), command.jobs, [&](std::size_t k) {
    EquivCommand one = command;
    std::tie(one.a, one.b) = (*pairs)[k];
    judged[k] = judged_pair(one, verdicts, codes[k]);
  });
  ExitCode code = ExitCode::Ok;
  for (std::size_t k = 0; k < judged.size(); ++k) {
    code = worse(code, codes[k]);
    fmt::print("{:<50} {}\n", judged[k].b, judged[k].verdict);
  }
  bool written = command.junit.empty() || write_file(command.junit, junit_text(judged), diagnostics);
  return written ? code : give_up(diagnostics);
}

}  // namespace vouch
