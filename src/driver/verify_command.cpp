#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "driver/folder_check.h"
#include "driver/folder_state.h"
#include "driver/json_output.h"
#include "driver/kernel_commands.h"
#include "driver/rule_report.h"
#include "driver/verify_asking.h"
#include "driver/verify_findings.h"
#include "driver/verify_jobs.h"
#include "io/lies_in.h"
#include "support/displayable.h"
#include "support/process.h"

namespace vouch {
namespace {

ExitCode emit_jobs(const std::optional<std::string>& library, const std::optional<std::string>& version,
                   const VerifyCommand& command, VerifyFindings& found, Diagnostics& diagnostics) {
  if (!library) {
    return give_up(diagnostics);  // answers are named by Coq and its library
  }
  for (const std::string& folder : command.folders) {
    if (lies_in(command.emit.back(), folder)) {
      diagnostics.error_at(command.emit.back(),
                           "jobs are not written into a folder that is verified: no certificate would cover them",
                           "name a file elsewhere");
      return give_up(diagnostics);
    }
  }
  VerifyAsking asking(*library, *version, command, found);
  if (!asking.keeps()) {
    diagnostics.error_at(command.store,
                         "no answers are kept in a folder that others may write, or that is verified itself, or without a seal",
                         "$VOUCH_KEY names the seal's key; otherwise it lies in $XDG_STATE_HOME/vouch");
    return give_up(diagnostics);
  }
  return !diagnostics.has_errors() && emit_verify_jobs(asking.jobs(), command, diagnostics) ? ExitCode::Ok : give_up(diagnostics);
}

// What is answered is of files as they were read.
bool are_as_read(const std::vector<FolderState>& states, Diagnostics& diagnostics) {
  bool all = true;
  for (const FolderState& state : states) {
    for (const std::string& path : state.changes()) {
      diagnostics.error_at(fmt::format("{}/{}", state.folder(), printable(path)), "it changed while its folder was verified",
                           "verify it again when nothing writes there");
      all = false;
    }
  }
  return all;
}

bool give_text(const std::string& text, Diagnostics& diagnostics) {
  bool given = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!given) {
    diagnostics.error_at("standard output", fmt::format("it cannot be written: {}", std::strerror(errno)));
  }
  return given;
}

ExitCode code_of(const VerifyFindings& found, bool folders_good, bool all_there) {
  auto any = [&](CoqWord word) {
    return std::any_of(found.kernels.begin(), found.kernels.end(), [&](const KernelFound& one) { return one.word() == word; }) ||
           std::any_of(found.calls.begin(), found.calls.end(), [&](const CallsFound& one) { return one.answer.word == word; }) ||
           std::any_of(found.rules.begin(), found.rules.end(), [&](const RuleFound& one) { return one.word() == word; });
  };
  bool open = any(CoqWord::Undecided) ||
              std::any_of(found.kernels.begin(), found.kernels.end(),
                          [](const KernelFound& one) { return one.leaves_gradient_open(); }) ||
              std::any_of(found.chains.begin(), found.chains.end(), [](const ChainFound& one) { return one.is_open(); });
  bool wrong = std::any_of(found.equalities.begin(), found.equalities.end(), [](const EqualityCheck& one) { return !one.holds; });
  return any(CoqWord::Fails) || wrong || !folders_good ? ExitCode::Refuted
         : !all_there                                  ? ExitCode::BadInput
         : open                                        ? ExitCode::Undecided
                                                       : ExitCode::Ok;
}

}  // namespace

// Whoever made a folder does not answer for it: what is believed does not lie there.
static bool lies_apart(const std::string& what, const std::string& path, const std::vector<std::string>& folders,
                       Diagnostics& diagnostics) {
  for (const std::string& folder : folders) {
    if (!path.empty() && lies_in(path, folder)) {
      diagnostics.error_at(path, fmt::format("{} lies in the folder that is verified: it is not believed", what));
      return false;
    }
  }
  return true;
}

ExitCode verify_folders(const VerifyCommand& command) {
  signal(SIGXFSZ, SIG_IGN);  // a file that cannot grow is an error that is told
  Diagnostics diagnostics;
  Diagnostics absent;
  VerifyFindings found;
  std::vector<FolderState> states;
  for (const std::string& folder : command.folders) {
    if (is_there(folder, absent)) {
      std::string own = own_file(folder, json_alone(command.json) ? "" : command.json);
      states.emplace_back(folder, own);
      find_all(folder, own, found, diagnostics);
    }
  }
  if (found.is_own_file_covered) {
    fmt::print(stderr, "{}", diagnostics.text());
    return ExitCode::BadInput;
  }
  bool folders_good = !diagnostics.has_errors();
  if (!command.only.empty()) {
    leave_out_others(found, command.only, absent);
  }
  fmt::print(stderr, "{}", absent.text());
  bool asks = asks_coq(found) || !command.emit.empty();
  bool is_own = asks && lies_apart("coqc", find_program("coqc"), command.folders, diagnostics);
  std::optional<std::string> version = is_own ? coq_version(std::chrono::seconds(command.timeout), diagnostics) : std::nullopt;
  std::optional<std::string> library = version ? find_coq_library(diagnostics) : std::nullopt;
  if (library && !lies_apart("the Coq library", *library, command.folders, diagnostics)) {
    library.reset();
  }
  if (!command.emit.empty()) {
    return emit_jobs(library, version, command, found, diagnostics);
  }
  if (library) {
    VerifyAsking asking(*library, *version, command, found);
    asking.ask();
    if (!command.only.empty()) {
      asking.mark_made();
    }
  } else {
    leave_open(found, asks ? diagnostics.all().back().message : "");
  }
  bool as_read = are_as_read(states, diagnostics);
  ExitCode code = code_of(found, folders_good, !absent.has_errors());
  code = code == ExitCode::Ok && (!as_read || (!library && asks)) ? ExitCode::Undecided : code;
  nlohmann::ordered_json json = found_json(found);
  json["errors"] = nlohmann::ordered_json::array();
  for (const Diagnostics* errors : {&absent, &diagnostics}) {
    for (const Diagnostic& diagnostic : errors->all()) {
      json["errors"].push_back(print_diagnostic(diagnostic));
    }
  }
  json["exit"] = static_cast<int>(code);
  std::string table = print_found(found) + (command.trust ? displayable(asked_of_rules(found)) : "");
  bool written = (json_alone(command.json) || give_text(table, diagnostics)) && give_json(command.json, json, diagnostics);
  fmt::print(stderr, "{}", diagnostics.text());
  return written || code != ExitCode::Ok ? code : ExitCode::BadInput;
}

}  // namespace vouch
