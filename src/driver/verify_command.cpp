#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "build/calls_coq.h"
#include "driver/certificate_cache.h"
#include "driver/chain_coq.h"
#include "driver/folder_check.h"
#include "driver/folder_state.h"
#include "driver/json_output.h"
#include "driver/kernel_commands.h"
#include "driver/library_folder.h"
#include "driver/progress.h"
#include "driver/verify_jobs.h"
#include "driver/verify_report.h"
#include "support/parallel.h"

namespace vouch {
namespace {

namespace fs = std::filesystem;

void add_steps(const std::string& folder, const BuiltLibrary& built, VerifyFindings& found) {
  if (!built.steps.rules().empty()) {
    std::vector<CoqAnswer> answers(built.steps.regions().size());
    found.steps.push_back(
        {folder, built.library.plan.name, built.steps.rules(), built.steps.regions(), std::move(answers), 0, false});
  }
  found.chains.push_back({folder, built.library.plan.name, built.chain, {}, false});
}

bool is_there(const std::string& folder, Diagnostics& diagnostics) {
  std::error_code failed;
  fs::directory_iterator opened(folder, failed);
  if (failed) {
    diagnostics.error_at(folder, fmt::format("the folder cannot be read: {}", failed.message()),
                         "expected a folder that 'vouch compile', 'grad', 'build' or 'check --coq' wrote");
  }
  return !failed;
}

// Where below the folder the file lies that this run is to write; empty if it lies elsewhere.
std::string own_file(const std::string& folder, const std::string& json) {
  std::error_code failed;
  return json.empty() ? "" : fs::weakly_canonical(json, failed).lexically_relative(fs::weakly_canonical(folder, failed)).string();
}

// Of one folder: what it lists, and what it does not account for.
void find_all(const std::string& folder, const std::string& own, VerifyFindings& found, Diagnostics& diagnostics) {
  std::set<std::string> covered;
  if (!own.empty()) {
    covered.insert(own);
  }
  std::size_t errors = diagnostics.error_count();
  bool library = is_library(folder);
  std::vector<KernelCheck> kernels = library ? std::vector<KernelCheck>{} : check_kernels(folder, covered, diagnostics);
  if (auto check = library ? check_library(folder, covered, diagnostics) : std::nullopt) {
    kernels = std::move(check->kernels);
    add_steps(folder, check->built, found);
    CallsFound calls{folder, check->built.library.plan.name, std::move(check->built.library), {}, {}, false};
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      calls.kernels.push_back(found.kernels.size() + k);
    }
    found.calls.push_back(std::move(calls));
  }
  std::vector<RuleCheck> rules = check_rule_proofs(folder, covered, diagnostics);
  std::vector<EqualityCheck> equalities = check_equalities(folder, covered);
  if (kernels.empty() && rules.empty() && equalities.empty() && diagnostics.error_count() == errors) {
    diagnostics.error_at(folder, "there are no certificates here", "'vouch compile' writes them");
  }
  name_uncovered(folder, covered, diagnostics);
  for (KernelCheck& kernel : kernels) {
    found.kernels.push_back({std::move(kernel), {}, false});
  }
  found.equalities.insert(found.equalities.end(), equalities.begin(), equalities.end());
  for (RuleCheck& rule : rules) {
    found.rules.push_back({std::move(rule), {}, false});
  }
}

bool are_as_they_should_be(const std::vector<std::size_t>& kernels, const VerifyFindings& found) {
  return std::all_of(kernels.begin(), kernels.end(),
                     [&](std::size_t kernel) { return found.kernels[kernel].check.differences.empty(); });
}

// Something is left that only Coq can say.
bool asks_coq(const VerifyFindings& found) {
  auto agrees = [](const auto& one) { return one.check.differences.empty(); };
  return std::any_of(found.kernels.begin(), found.kernels.end(), agrees) ||
         std::any_of(found.rules.begin(), found.rules.end(), agrees) ||
         std::any_of(found.calls.begin(), found.calls.end(),
                     [&](const CallsFound& one) { return are_as_they_should_be(one.kernels, found); });
}

std::string why_no_proof(const RuleFound& one) { return one.check.coq ? "no proof: " + one.check.coq->reason : ""; }

constexpr std::chrono::seconds kMostStepTime{20};
constexpr std::string_view kKernelsDiffer = "not all of its kernels are certified";

// Asks Coq, or the answers that were kept, of everything that is as it should be.
class Asking {
 public:
  Asking(const std::string& library, const std::string& version, const VerifyCommand& command, VerifyFindings& found)
      : library_(library),
        cache_(command.store, library, version, command.folders, command.again),
        found_(found),
        progress_("verify") {
    jobs_.jobs = jobs_for(command.jobs);
    jobs_.limits.time = std::chrono::seconds(command.timeout);
    jobs_.finished = [this](const std::string& name) { finished(name); };
  }

  void ask() {
    std::vector<CallsFound*> calls = calls_to_ask();
    std::vector<KernelFound*> kernels = kernels_to_ask(calls);
    std::vector<RuleFound*> rules = rules_to_ask();
    total_ = kernels.size() + calls.size() + rules.size();
    for (const StepsFound& one : found_.steps) {
      total_ += one.regions.size();
    }
    total_ += found_.chains.size();
    ask_kernels(kernels, calls);
    for_all(rules.size(), jobs_.jobs, [&](std::size_t at) {
      RuleFound& one = *rules[at];
      one.answer = verify_rule_proof(library_, *one.check.coq, jobs_.limits);
      cache_.keep(key(one), one.answer);
      finished(one.check.rule);
    });
    for (StepsFound& one : found_.steps) {
      ask_steps(one);
    }
    for_all(found_.chains.size(), jobs_.jobs, [&](std::size_t at) { ask_chain(found_.chains[at]); });
  }

  // Whether answers can be kept.
  bool keeps() const { return cache_.is_open(); }

  // What could be asked of Coq, one by one. A library's calls are no job of their own: they need all of its certificates at once.
  std::vector<VerifyJob> jobs() const {
    std::vector<VerifyJob> all;
    for (const KernelFound& one : found_.kernels) {
      if (one.check.differences.empty()) {
        all.push_back({one.check.folder, one.check.kernel, cache_.path(key(one))});
      }
    }
    for (const RuleFound& one : found_.rules) {
      if (one.check.differences.empty() && one.has_proof()) {
        all.push_back({one.check.folder, one.check.rule, cache_.path(key(one))});
      }
    }
    return all;
  }

  // Ninja goes by times: what was known already is as new as what was worked out now.
  void mark_made() const {
    for (const VerifyJob& job : jobs()) {
      std::error_code ignored;  // not there, or not ours: then Ninja asks again
      fs::last_write_time(job.entry, fs::file_time_type::clock::now(), ignored);
    }
  }

 private:
  std::string key(const KernelFound& one) const {
    return cache_.key({"kernel", one.check.texts->certificate, one.check.texts->c, one.check.texts->derivation.value_or(""),
                       one.check.texts->adjoint.value_or("")});
  }
  std::string key(const RuleFound& one) const { return cache_.key({"rule", one.check.coq->text}); }

  std::string key(const CallsFound& one) const {
    std::vector<std::string> parts{"calls", calls_certificate(one.plan, {})};
    for (std::size_t kernel : one.kernels) {
      parts.push_back(found_.kernels[kernel].check.texts->certificate);
    }
    return cache_.key(parts);
  }

  // Those whose kernels are as they should be, and whose answer was not kept.
  std::vector<CallsFound*> calls_to_ask() {
    std::vector<CallsFound*> out;
    for (CallsFound& one : found_.calls) {
      if (!are_as_they_should_be(one.kernels, found_)) {
        one.answer.message = kKernelsDiffer;
      } else if (auto kept = cache_.find(key(one))) {
        one.answer = *kept;
        one.kept = true;
      } else {
        out.push_back(&one);
      }
    }
    return out;
  }

  // Those that are as they should be, and whose answer was not kept, or is needed for `calls`.
  std::vector<KernelFound*> kernels_to_ask(const std::vector<CallsFound*>& calls) {
    std::set<const KernelFound*> needed;
    for (const CallsFound* one : calls) {
      for (std::size_t kernel : one->kernels) {
        needed.insert(&found_.kernels[kernel]);
      }
    }
    std::vector<KernelFound*> out;
    for (KernelFound& one : found_.kernels) {
      if (!one.check.differences.empty()) {
        continue;
      }
      auto kept = needed.contains(&one) ? std::nullopt : cache_.find(key(one));
      if (kept) {
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
        one.answer.message = why_no_proof(one);
      } else if (auto kept = one.check.differences.empty() ? cache_.find(key(one)) : std::nullopt) {
        one.answer = *kept;
        one.kept = true;
      } else if (one.check.differences.empty()) {
        out.push_back(&one);
      }
    }
    return out;
  }

  void ask_kernels(const std::vector<KernelFound*>& kernels, const std::vector<CallsFound*>& calls) {
    std::vector<CoqQuestion> questions;
    for (const KernelFound* one : kernels) {
      const KernelTexts& texts = *one->check.texts;
      questions.push_back({texts.name, texts.certificate, texts.refutation, texts.c, texts.derivation, texts.adjoint});
    }
    std::vector<CoqComposition> compositions;
    for (const CallsFound* one : calls) {
      compositions.push_back(
          {one->library, {}, [one](const auto& certificates) { return calls_certificate(one->plan, certificates); }});
      for (std::size_t kernel : one->kernels) {
        auto at = std::find(kernels.begin(), kernels.end(), &found_.kernels[kernel]);
        compositions.back().of.push_back(static_cast<std::size_t>(at - kernels.begin()));
      }
    }
    CoqAnswers answers = check_certificates(library_, questions, compositions, jobs_);
    found_.together = answers.together;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      calls[i]->answer = std::move(answers.compositions[i]);
      cache_.keep(key(*calls[i]), calls[i]->answer);
    }
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      kernels[i]->answer = std::move(answers.questions[i]);
      if (!kernels[i]->leaves_gradient_open()) {
        cache_.keep(key(*kernels[i]), kernels[i]->answer);
      }
    }
  }

  // A step without theorem is left to the solver's proof of its rule, as one is that Coq takes long for.
  void ask_steps(StepsFound& steps) {
    CoqLimits limits = jobs_.limits;
    limits.time = std::min(limits.time, kMostStepTime);
    std::atomic<bool> asked = false;
    for_all(steps.regions.size(), jobs_.jobs, [&](std::size_t at) {
      CoqRule theorem = step_theorem(steps.regions[at]);
      CoqAnswer& answer = steps.answers[at];
      if (theorem.text.empty()) {
        answer.message = theorem.reason;
      } else if (auto kept = cache_.find(cache_.key({"rule", theorem.text}))) {
        answer = *kept;
      } else {
        answer = verify_rule_proof(library_, theorem, limits);
        cache_.keep(cache_.key({"rule", theorem.text}), answer);
        asked = true;
        if (answer.word != CoqWord::Holds) {
          answer.message = fmt::format("a proof was found, but none that Coq accepts within {} s", limits.time.count());
        }
      }
      finished(steps.library);
    });
    for (const CoqAnswer& answer : steps.answers) {
      steps.seconds += answer.seconds;
    }
    steps.kept = !asked;
  }

  void ask_chain(ChainFound& one) {
    if (one.chain.why.empty()) {
      std::string text = chain_certificate(one.chain);
      std::string key = cache_.key({"chain", text});
      auto known = cache_.find(key);
      one.kept = known.has_value();
      one.answer = known ? *known : check_theorems(library_, text, {"chained"}, jobs_.limits);
      cache_.keep(key, one.answer);
    }
    finished(one.library);
  }

  void finished(const std::string& name) {
    std::lock_guard lock(drawing_);
    progress_.update(++done_, total_, name);
  }

  const std::string& library_;
  CertificateCache cache_;
  VerifyFindings& found_;
  CoqJobs jobs_;
  Progress progress_;
  std::mutex drawing_;
  std::size_t done_ = 0;
  std::size_t total_ = 0;
};

// Where Coq cannot be asked, nothing is decided but what differs.
void leave_open(VerifyFindings& found, const std::string& why) {
  for (KernelFound& one : found.kernels) {
    one.answer.message = one.check.differences.empty() ? why : "";
  }
  for (RuleFound& one : found.rules) {
    one.answer.message = !one.has_proof() ? why_no_proof(one) : one.check.differences.empty() ? why : "";
  }
  for (CallsFound& one : found.calls) {
    one.answer.message = are_as_they_should_be(one.kernels, found) ? why : std::string(kKernelsDiffer);
  }
  for (ChainFound& one : found.chains) {
    one.answer.message = why;
  }
}

void leave_out_others(VerifyFindings& found, const std::string& only, Diagnostics& diagnostics) {
  found.calls.clear();
  found.steps.clear();
  found.chains.clear();
  std::erase_if(found.kernels, [&](const KernelFound& one) { return one.check.kernel != only; });
  std::erase_if(found.rules, [&](const RuleFound& one) { return one.check.rule != only; });
  if (found.kernels.empty() && found.rules.empty()) {
    diagnostics.error_at("--only", fmt::format("no kernel and no rule is called '{}' here", only));
  }
}

ExitCode emit_jobs(const std::optional<std::string>& library, const std::optional<std::string>& version,
                   const VerifyCommand& command, VerifyFindings& found, Diagnostics& diagnostics) {
  if (!library) {
    return give_up(diagnostics);  // answers are named by Coq and its library
  }
  Asking asking(*library, *version, command, found);
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
  bool folders_good = !diagnostics.has_errors();
  if (!command.only.empty()) {
    leave_out_others(found, command.only, absent);
  }
  fmt::print(stderr, "{}", absent.text());
  bool asks = asks_coq(found) || !command.emit.empty();
  std::optional<std::string> version = asks ? coq_version(diagnostics) : std::nullopt;
  std::optional<std::string> library = version ? find_coq_library(diagnostics) : std::nullopt;
  if (!command.emit.empty()) {
    return emit_jobs(library, version, command, found, diagnostics);
  }
  if (library) {
    Asking asking(*library, *version, command, found);
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
  bool written =
      (json_alone(command.json) || give_text(print_found(found), diagnostics)) && give_json(command.json, json, diagnostics);
  fmt::print(stderr, "{}", diagnostics.text());
  return written || code != ExitCode::Ok ? code : ExitCode::BadInput;
}

}  // namespace vouch
