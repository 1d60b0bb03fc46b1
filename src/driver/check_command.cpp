#include "driver/check_command.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "driver/check_all.h"
#include "driver/check_jobs.h"
#include "driver/check_report.h"
#include "driver/check_second.h"
#include "driver/check_store.h"
#include "driver/json_output.h"
#include "driver/model.h"
#include "driver/rule_proofs.h"
#include "driver/standard_streams.h"
#include "driver/watch.h"
#include "io/file.h"
#include "rule/print.h"
#include "support/at_signal.h"
#include "support/how_many.h"

namespace vouch {
namespace {

// Theorems about each sound rule; for how many there is a proof.
std::optional<std::size_t> write_theorems(const std::vector<CheckedRule>& rules, const CheckCommand& command,
                                          const CheckOptions& options, Diagnostics& diagnostics) {
  std::error_code error;
  std::filesystem::create_directories(command.coq, error);
  RuleProofs all;
  std::size_t proofs = 0;
  for (std::size_t k = 0; k < rules.size(); ++k) {
    if (!is_sound(rules[k].verdict.verdict)) {
      continue;
    }
    const std::string& name = rules[k].rule->name;
    const RuleVerdict& verdict = rules[k].verdict;
    RuleRecipe recipe{command.coq_most, options.most_instances, verdict.any_rank ? options.instances.max_rank : verdict.max_rank};
    auto proof = rule_proof(name, print_rule(*rules[k].rule), recipe, diagnostics);
    if (!proof) {
      return std::nullopt;
    }
    proofs += proof->coq.text.empty() ? 0U : 1U;
    if (!all.emplace(name, std::move(*proof)).second) {
      diagnostics.error_at(name, "two rules have this name, and one folder cannot hold theorems of both");
      return std::nullopt;
    }
  }
  return write_rule_proofs(command.coq, all, diagnostics) ? std::optional(proofs) : std::nullopt;
}

// The rules that are asked for.
std::vector<const Rule*> choose(const std::vector<Rule>& rules, const std::string& only, Diagnostics& diagnostics) {
  std::vector<const Rule*> chosen;
  std::vector<std::string> names;
  for (const Rule& rule : rules) {
    names.push_back(rule.name);
    if (only.empty() || rule.name == only) {
      chosen.push_back(&rule);
    }
  }
  if (chosen.empty() && !only.empty()) {
    auto near = suggest(only, names);
    diagnostics.error_at("--rule", fmt::format("there is no rule '{}'", only),
                         near ? fmt::format("did you mean '{}'?", *near) : std::string());
  }
  return chosen;
}

CheckOptions options_of(const CheckCommand& command) {
  CheckOptions options;
  options.instances.max_rank = command.max_rank;
  options.refute = command.refute;
  options.seed = command.seed;
  options.prove.keep_scripts = !command.smt.empty() || !command.recheck.empty();
  return options;
}

class CheckRun {
 public:
  explicit CheckRun(const CheckCommand& command) : command_(command), options_(options_of(command)) {
    for (const std::string* out : {&command.json, &command.sarif, &command.junit, &command.badge}) {
      quiet_ = quiet_ || *out == "-";  // it has standard output to itself
    }
    quiet_ = quiet_ || command.fill;
  }

  ExitCode run() {
    std::vector<Rule> rules = load_good_rules(command_.rules, diagnostics_);
    fmt::print(stderr, "{}", diagnostics_.text());
    report_.input = &diagnostics_;
    Diagnostics wrong;
    std::vector<const Rule*> chosen = choose(rules, command_.only, diagnostics_.has_errors() ? diagnostics_ : wrong);
    if (wrong.has_errors()) {
      return give_up(wrong);
    }
    CheckStore store(command_.store, options_, command_.repair, wrong);
    if (wrong.has_errors() || (command_.fill && !is_own_job(chosen, command_, store, wrong))) {
      return give_up(wrong);
    }
    if (!command_.emit.empty()) {
      return emit(chosen, store);
    }
    bool at_once = !command_.fill && command_.recheck.empty() && !quiet_;  // a second solver may take a verdict back
    Diagnostics unwritten;
    report_.rules = check_all(
        chosen, command_, options_, store, unwritten,
        [&](const CheckedRule& checked) { at_once ? print_verdict(checked, command_.verbose) : void(); },
        [&](const CheckedRule& checked) { at_once ? print_repair(checked) : void(); });
    if (command_.fill) {
      return unwritten.has_errors() ? give_up(unwritten) : mark_made(chosen, store);
    }
    if (!keep_queries(unwritten)) {
      return give_up(unwritten);
    }
    for (std::size_t k = 0; !at_once && !quiet_ && k < report_.rules.size(); ++k) {
      print_verdict(report_.rules[k], command_.verbose);
    }
    for (std::size_t k = 0; !at_once && !quiet_ && k < report_.rules.size(); ++k) {
      print_repair(report_.rules[k]);
    }
    if (!quiet_) {
      print_end();
    }
    bool contradicted = unwritten.has_errors();
    bool written = keep_theorems(unwritten) && write_reports(unwritten);
    return written && !contradicted ? code_of(report_) : give_up(unwritten);
  }

 private:
  ExitCode emit(const std::vector<const Rule*>& rules, const CheckStore& store) {
    Diagnostics unwritten;
    bool emitted = !diagnostics_.has_errors() && emit_check_jobs(rules, command_, store, unwritten);
    return emitted ? ExitCode::Ok : give_up(unwritten);
  }

  // Ninja goes by times: what was known already is as new as what was worked out now.
  static ExitCode mark_made(const std::vector<const Rule*>& rules, const CheckStore& store) {
    for (const Rule* rule : rules) {
      std::error_code ignored;  // then Ninja asks again
      std::filesystem::last_write_time(store.path(*rule), std::filesystem::file_time_type::clock::now(), ignored);
    }
    return ExitCode::Ok;
  }

  // Written where they are asked for, and asked of a second solver.
  bool keep_queries(Diagnostics& diagnostics) {
    std::optional<ScratchFolder> scratch;
    std::string folder = command_.smt;
    if (folder.empty() && !command_.recheck.empty()) {
      folder = scratch.emplace().path();
    }
    if (folder.empty()) {
      if (scratch) {
        diagnostics.error_at("--recheck", no_scratch_folder());
      }
      return !scratch;
    }
    if (!write_queries(report_.rules, folder, diagnostics)) {
      return false;
    }
    if (!command_.recheck.empty()) {
      second_ = ask_second(report_.rules, command_.recheck, folder);
    }
    return true;
  }

  void print_end() {
    print_summary(report_);
    if (!command_.recheck.empty()) {
      fmt::print("{}: {} agreed, {} open{}\n", command_.recheck,
                 second_.agreed == 1 ? "1 query" : fmt::format("{} queries", second_.agreed), second_.open,
                 second_.missing ? " (the solver could not be run)" : "");
    }
  }

  bool keep_theorems(Diagnostics& diagnostics) {
    if (command_.coq.empty()) {
      return true;
    }
    std::optional<std::size_t> proofs = write_theorems(report_.rules, command_, options_, diagnostics);
    if (proofs && !quiet_) {
      fmt::print("coq: {} {} theorems in {}; 'vouch verify {}' checks them\n", how_many(*proofs, "rule"),
                 *proofs == 1 ? "has" : "have", command_.coq, command_.coq);
    }
    return proofs.has_value();
  }

  bool write_reports(Diagnostics& diagnostics) {
    FilesTogether files;
    return (command_.json.empty() || give_json(command_.json, check_json(report_), diagnostics)) &&
           (command_.sarif.empty() || give_json(command_.sarif, check_sarif(report_), diagnostics)) &&
           (command_.badge.empty() || give_json(command_.badge, check_badge(report_), diagnostics)) &&
           (command_.junit.empty() || write_file(command_.junit, check_junit(report_), diagnostics)) && files.commit(diagnostics);
  }

  const CheckCommand& command_;
  CheckOptions options_;
  Diagnostics diagnostics_;  // of the rule files
  CheckReport report_;
  SecondAnswers second_;
  bool quiet_ = false;
};

}  // namespace

ExitCode check_rules(const CheckCommand& command) {
  return command.watch ? watch_rules(command.rules, [&] { CheckRun(command).run(); }) : CheckRun(command).run();
}

}  // namespace vouch
