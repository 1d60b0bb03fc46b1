#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "driver/certificate_cache.h"
#include "driver/interruption.h"
#include "driver/json_output.h"
#include "driver/kernel_commands.h"
#include "driver/library_folder.h"
#include "driver/parallel.h"
#include "driver/progress.h"
#include "driver/verify_report.h"

namespace vouch {
namespace {

namespace fs = std::filesystem;

// Of one folder: what it lists, and what it does not account for. The file that this run is to write may lie there.
void find_all(const std::string& folder, const std::string& json, Found& found, Diagnostics& diagnostics) {
  std::set<std::string> covered;
  std::error_code failed;
  fs::path own =
      json.empty() ? fs::path() : fs::weakly_canonical(json, failed).lexically_relative(fs::weakly_canonical(folder, failed));
  if (!own.empty()) {
    covered.insert(own.string());
  }
  std::size_t errors = diagnostics.error_count();
  std::vector<KernelCheck> kernels =
      is_library(folder) ? check_library(folder, covered, diagnostics) : check_kernels(folder, covered, diagnostics);
  std::vector<RuleCheck> rules = check_rule_proofs(folder, covered, diagnostics);
  if (kernels.empty() && rules.empty() && diagnostics.error_count() == errors) {
    diagnostics.error_at(folder, "there are no certificates here", "'vouch compile' writes them");
  }
  name_uncovered(folder, covered, diagnostics);
  for (KernelCheck& kernel : kernels) {
    found.kernels.push_back({std::move(kernel), {}, false});
  }
  for (RuleCheck& rule : rules) {
    found.rules.push_back({std::move(rule), {}, false});
  }
}

// Asks Coq, or the answers that were kept, of everything that is as it should be.
class Asking {
 public:
  Asking(const std::string& library, const std::string& version, const VerifyCommand& command, Found& found)
      : library_(library), cache_(library, version, command.folders, command.again), found_(found), progress_("verify") {
    jobs_.jobs = command.jobs != 0 ? command.jobs : std::max(1U, std::thread::hardware_concurrency());
    jobs_.limits.time = std::chrono::seconds(command.timeout);
    jobs_.finished = [this](const std::string& name) { finished(name); };
  }

  void ask() {
    std::vector<KernelFound*> kernels = kernels_to_ask();
    std::vector<RuleFound*> rules = rules_to_ask();
    total_ = kernels.size() + rules.size();
    ask_kernels(kernels);
    for_all(rules.size(), jobs_.jobs, [&](std::size_t at) {
      RuleFound& one = *rules[at];
      one.answer = interrupted() ? CoqAnswer{CoqWord::Undecided, "", "it was interrupted", 0}
                                 : verify_rule_proof(library_, *one.check.coq, jobs_.limits);
      cache_.keep(key(one), one.answer);
      finished(one.check.rule);
    });
  }

 private:
  std::string key(const KernelFound& one) const {
    return cache_.key({"kernel", one.check.texts->certificate, one.check.texts->c, one.check.texts->derivation.value_or(""),
                       one.check.texts->adjoint.value_or("")});
  }
  std::string key(const RuleFound& one) const { return cache_.key({"rule", one.check.coq->text}); }

  // Those that are as they should be, and whose answer was not kept.
  std::vector<KernelFound*> kernels_to_ask() {
    std::vector<KernelFound*> out;
    for (KernelFound& one : found_.kernels) {
      if (!one.check.differences.empty()) {
        continue;
      }
      if (auto kept = cache_.find(key(one))) {
        one.answer = *kept;
        one.kept = true;
      } else {
        out.push_back(&one);
      }
    }
    return out;
  }

  std::vector<RuleFound*> rules_to_ask() {
    std::vector<RuleFound*> out;
    for (RuleFound& one : found_.rules) {
      if (!one.has_proof()) {
        one.answer.message = one.check.coq ? "no proof: " + one.check.coq->reason : "";
      } else if (auto kept = one.check.differences.empty() ? cache_.find(key(one)) : std::nullopt) {
        one.answer = *kept;
        one.kept = true;
      } else if (one.check.differences.empty()) {
        out.push_back(&one);
      }
    }
    return out;
  }

  void ask_kernels(const std::vector<KernelFound*>& kernels) {
    std::vector<CoqQuestion> questions;
    for (const KernelFound* one : kernels) {
      const KernelTexts& texts = *one->check.texts;
      questions.push_back({texts.name, texts.certificate, texts.refutation, texts.c, texts.derivation, texts.adjoint});
    }
    std::vector<CoqAnswer> answers = check_certificates(library_, questions, jobs_, found_.together);
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      kernels[i]->answer = std::move(answers[i]);
      if (!kernels[i]->leaves_gradient_open()) {
        cache_.keep(key(*kernels[i]), kernels[i]->answer);
      }
    }
  }

  void finished(const std::string& name) {
    std::lock_guard lock(drawing_);
    progress_.update(++done_, total_, name);
  }

  const std::string& library_;
  CertificateCache cache_;
  Found& found_;
  CoqJobs jobs_;
  Progress progress_;
  std::mutex drawing_;
  std::size_t done_ = 0;
  std::size_t total_ = 0;
};

// Where Coq cannot be asked, nothing is decided but what differs.
void leave_open(Found& found, const std::string& why) {
  for (KernelFound& one : found.kernels) {
    one.answer.message = one.check.differences.empty() ? why : "";
  }
  for (RuleFound& one : found.rules) {
    one.answer.message = one.check.differences.empty() ? why : "";
  }
}

bool give_text(const std::string& text, Diagnostics& diagnostics) {
  bool given = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!given) {
    diagnostics.error_at("standard output", fmt::format("it cannot be written: {}", std::strerror(errno)));
  }
  return given;
}

ExitCode code_of(const Found& found, bool folders_good) {
  auto any = [&](CoqWord word) {
    return std::any_of(found.kernels.begin(), found.kernels.end(), [&](const KernelFound& one) { return one.word() == word; }) ||
           std::any_of(found.rules.begin(), found.rules.end(), [&](const RuleFound& one) { return one.word() == word; });
  };
  bool open = any(CoqWord::Undecided) || std::any_of(found.kernels.begin(), found.kernels.end(),
                                                     [](const KernelFound& one) { return one.leaves_gradient_open(); });
  return any(CoqWord::Fails) || !folders_good ? ExitCode::Refuted : open ? ExitCode::Undecided : ExitCode::Ok;
}

}  // namespace

ExitCode verify_folders(const VerifyCommand& command) {
  signal(SIGXFSZ, SIG_IGN);  // a file that cannot grow is an error that is told
  Diagnostics diagnostics;
  Found found;
  for (const std::string& folder : command.folders) {
    find_all(folder, json_alone(command.json) ? "" : command.json, found, diagnostics);
  }
  bool folders_good = !diagnostics.has_errors();
  std::optional<std::string> version = coq_version();
  std::optional<std::string> library = version ? find_coq_library(diagnostics) : std::nullopt;
  if (library) {
    Interruptible runs_of_coq;
    Asking(*library, *version, command, found).ask();
  } else {
    leave_open(found, version ? "the Coq library is not compiled"
                              : "coqc was not found, or does not run: nothing is checked (Coq 8.16 is needed)");
  }
  ExitCode code = code_of(found, folders_good);
  code = code == ExitCode::Ok && !library ? ExitCode::Undecided : code;
  nlohmann::ordered_json json = found_json(found);
  json["errors"] = nlohmann::ordered_json::array();
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    json["errors"].push_back(print_diagnostic(diagnostic));
  }
  json["exit"] = static_cast<int>(code);
  bool written =
      (json_alone(command.json) || give_text(print_found(found), diagnostics)) && give_json(command.json, json, diagnostics);
  fmt::print(stderr, "{}", diagnostics.text());
  return written || code != ExitCode::Ok ? code : ExitCode::BadInput;
}

}  // namespace vouch
