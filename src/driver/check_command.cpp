#include "driver/check_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>

#include "check/check.h"
#include "check/show.h"
#include "check/suggest_condition.h"
#include "driver/json_output.h"
#include "driver/model.h"
#include "driver/parallel.h"
#include "driver/progress.h"
#include "driver/rule_proofs.h"
#include "io/file.h"
#include "rule/print.h"

namespace vouch {
namespace {

using Json = nlohmann::ordered_json;

// What is known of one rule in the end.
struct Checked {
  RuleVerdict verdict;
  std::vector<std::string> conditions;  // that repair a refuted rule
  bool repair_proven = false;
  bool judged = false;    // the verdict is there
  bool finished = false;  // and all else
};

// A refuted rule with the conditions under which it is sound after all.
void repair(const Rule& rule, const CheckOptions& options, Checked& out) {
  auto found = suggest_repair(rule);
  if (!found) {
    return;
  }
  out.conditions = found->conditions;
  CheckOptions plain = options;
  plain.prove.keep_scripts = false;
  out.repair_proven = is_sound(check_rule(found->rule, plain).verdict);
}

// Shows what is known of each rule as soon as it is, in the order of the rules: first its verdict with the counterexample, then,
// where one is looked for, its repair. `next` and all after it wait until `next` is whole.
class InOrder {
 public:
  using Show = std::function<void(const Checked&)>;
  InOrder(std::vector<Checked>& all, Show verdict, Show repair)
      : all_(all), verdict_(std::move(verdict)), repair_(std::move(repair)) {}

  void judged(std::size_t k, RuleVerdict verdict) {
    std::lock_guard lock(mutex_);
    all_[k].verdict = std::move(verdict);
    all_[k].judged = true;
    show();
  }

  void finished(std::size_t k, std::vector<std::string> conditions, bool proven) {
    std::lock_guard lock(mutex_);
    all_[k].conditions = std::move(conditions);
    all_[k].repair_proven = proven;
    all_[k].finished = true;
    ++finished_;
    show();
    progress_.update(finished_, all_.size(), all_[k].verdict.rule);
  }

 private:
  void show() {
    for (; next_ < all_.size() && all_[next_].judged; ++next_) {
      if (!verdict_shown_) {
        verdict_(all_[next_]);
        verdict_shown_ = true;
      }
      if (!all_[next_].finished) {
        return;
      }
      repair_(all_[next_]);
      verdict_shown_ = false;
    }
  }

  std::vector<Checked>& all_;
  Show verdict_;
  Show repair_;
  std::mutex mutex_;
  std::size_t next_ = 0;
  bool verdict_shown_ = false;  // of the rule `next_`
  std::size_t finished_ = 0;
  Progress progress_{"check"};
};

std::vector<Checked> check_all(const std::vector<const Rule*>& rules, const CheckOptions& options, const CheckCommand& command,
                               const InOrder::Show& show_verdict, const InOrder::Show& show_repair) {
  std::vector<Checked> all(rules.size());
  InOrder shown(all, show_verdict, show_repair);
  for_all(rules.size(), command.jobs, [&](std::size_t k) {
    RuleVerdict verdict = check_rule(*rules[k], options);
    bool refuted = verdict.counterexample.has_value();
    shown.judged(k, std::move(verdict));
    Checked repaired;
    if (command.repair && refuted) {
      repair(*rules[k], options, repaired);
    }
    shown.finished(k, std::move(repaired.conditions), repaired.repair_proven);
  });
  return all;
}

std::string scope_of(const RuleVerdict& v) {
  return fmt::format("ranks to {}{}{}, {} instances", v.max_rank, v.bounds.empty() ? "" : ", ", fmt::join(v.bounds, ", "),
                     v.instances);
}

void print_repair(const Checked& c) {
  for (std::size_t k = 0; k < c.conditions.size(); ++k) {
    fmt::print("  {} where {};\n", k == 0 ? "repaired by" : "           ", c.conditions[k]);
  }
  if (!c.conditions.empty()) {
    fmt::print("  {}\n", c.repair_proven ? "the repaired rule is proven sound" : "not refuted any more, but not proven either");
    std::fflush(stdout);
  }
}

void print_verdict(const Checked& checked, bool verbose) {
  const RuleVerdict& v = checked.verdict;
  std::string detail = is_sound(v.verdict)                                               ? scope_of(v)
                       : v.verdict == Verdict::Unsound || v.verdict == Verdict::IllTyped ? ""
                                                                                         : v.reason;
  fmt::print("{:<40} {:<14} {:6.0f} ms  {}\n", v.rule, verdict_name(v.verdict), v.milliseconds, detail);
  if (v.counterexample) {
    fmt::print("{}", show_counterexample(*v.counterexample));
  }
  if (verbose && v.verdict == Verdict::Unknown && !v.instance.empty()) {
    fmt::print("  at {}\n", v.instance);
    if (!v.remainder.empty()) {
      fmt::print("  left of source - target: {}\n", v.remainder);
    }
  }
  std::fflush(stdout);
}

Json json_of(const Rule& rule, const Checked& checked) {
  const RuleVerdict& v = checked.verdict;
  Json out;
  out["name"] = v.rule;
  if (rule.source) {
    out["file"] = rule.source->name();
    out["line"] = rule.source->locate(rule.span.begin).line;
  }
  out["verdict"] = is_sound(v.verdict) ? "sound" : std::string(verdict_name(v.verdict));
  if (is_sound(v.verdict)) {
    out["algebra"] = v.verdict == Verdict::SoundExact ? "exact" : "real";
  }
  out["ranks"] = fmt::format("0..{}", v.max_rank);
  out["bounds"] = v.bounds;
  out["dtypes"] = v.dtypes;
  out["instances"] = v.instances;
  out["evidence"] = is_sound(v.verdict) ? Json::array({"solver"})
                    : v.counterexample  ? Json::array({"counterexample"})
                                        : Json::array();
  out["time_ms"] = v.milliseconds;
  out["queries"] = v.queries;
  out["slowest_query_ms"] = v.slowest_query_ms;
  if (v.counterexample) {
    Json shown;
    shown["text"] = show_counterexample(*v.counterexample);
    out["counterexample"] = shown;
  }
  if (!checked.conditions.empty()) {
    out["condition"] = checked.conditions;
    out["condition_proven"] = checked.repair_proven;
  }
  if (v.verdict == Verdict::Unknown || v.verdict == Verdict::Vacuous) {
    out["reason"] = v.reason;
    out["instance"] = v.instance;
    out["remainder"] = v.remainder;
  }
  return out;
}

// Each query of each sound rule as one file.
bool write_queries(const std::vector<Checked>& verdicts, const std::string& folder, Diagnostics& diagnostics) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  for (const Checked& checked : verdicts) {
    const RuleVerdict& v = checked.verdict;
    for (std::size_t k = 0; is_sound(v.verdict) && k < v.scripts.size(); ++k) {
      std::string path = fmt::format("{}/{}_{:05}.smt2", folder, v.rule, k);
      if (!write_file(path, v.scripts[k].script, diagnostics, Survives::ProcessEnd)) {
        return false;
      }
    }
  }
  return true;
}

// Theorems about each sound rule; for how many there is a proof.
std::optional<std::size_t> write_theorems(const std::vector<const Rule*>& rules, const std::vector<Checked>& verdicts,
                                          const CheckCommand& command, const CheckOptions& options, Diagnostics& diagnostics) {
  std::error_code error;
  std::filesystem::create_directories(command.coq, error);
  RuleProofs all;
  std::size_t proofs = 0;
  for (std::size_t k = 0; k < rules.size(); ++k) {
    if (!is_sound(verdicts[k].verdict.verdict)) {
      continue;
    }
    const std::string& name = rules[k]->name;
    RuleRecipe recipe{command.coq_most, options.most_instances, verdicts[k].verdict.max_rank};
    auto proof = rule_proof(name, print_rule(*rules[k]), recipe, diagnostics);
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

// What a second solver says to one script; nothing if it cannot be run.
std::optional<std::string> second_answer(const std::string& solver, const std::string& path) {
  std::string command = fmt::format("{} --tlimit=10000 '{}' 2>/dev/null", solver, path);
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) {
    return std::nullopt;
  }
  std::string out;
  char buffer[256];
  while (std::fgets(buffer, sizeof buffer, pipe)) {
    out += buffer;
  }
  int status = pclose(pipe);
  if (status == 127 * 256) {
    return std::nullopt;
  }
  return out.substr(0, out.find('\n'));
}

struct Recheck {
  std::size_t agreed = 0;
  std::size_t open = 0;
  bool missing = false;
};

// A rule stays sound only if the second solver agrees on every query.
Recheck recheck(std::vector<Checked>& verdicts, const std::string& solver, const std::string& folder) {
  Recheck total;
  for (Checked& checked : verdicts) {
    RuleVerdict& v = checked.verdict;
    for (std::size_t k = 0; is_sound(v.verdict) && k < v.scripts.size(); ++k) {
      auto answer = second_answer(solver, (std::filesystem::path(folder) / fmt::format("{}_{:05}.smt2", v.rule, k)).string());
      total.missing = total.missing || !answer;
      if (answer == "unsat") {
        ++total.agreed;
        continue;
      }
      ++total.open;
      v.verdict = Verdict::Unknown;
      v.reason = fmt::format("{} says {} to query {}", solver, answer.value_or("nothing"), k);
    }
  }
  return total;
}

ExitCode code_of(const std::vector<Checked>& verdicts) {
  ExitCode code = ExitCode::Ok;
  for (const Checked& checked : verdicts) {
    const RuleVerdict& v = checked.verdict;
    if (v.verdict == Verdict::Unsound || v.verdict == Verdict::IllTyped) {
      return ExitCode::Refuted;
    }
    code = is_sound(v.verdict) ? code : ExitCode::Undecided;
  }
  return code;
}

void print_summary(const std::vector<Checked>& verdicts) {
  std::map<std::string_view, std::size_t> counts;
  double total = 0;
  for (const Checked& checked : verdicts) {
    const RuleVerdict& v = checked.verdict;
    ++counts[verdict_name(v.verdict)];
    total += v.milliseconds;
  }
  std::string text;
  for (const auto& [name, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
  }
  fmt::print("{} rules: {} ({:.0f} ms)\n", verdicts.size(), text, total);
}

}  // namespace

ExitCode check_rules(const CheckCommand& command) {
  Diagnostics diagnostics;
  auto rules = load_rules(command.rules, diagnostics);
  std::vector<const Rule*> chosen;
  std::vector<std::string> names;
  for (std::size_t k = 0; rules && k < rules->size(); ++k) {
    const Rule& rule = (*rules)[k];
    names.push_back(rule.name);
    if (command.only.empty() || rule.name == command.only) {
      chosen.push_back(&rule);
    }
  }
  if (rules && chosen.empty() && !command.only.empty()) {
    auto near = suggest(command.only, names);
    diagnostics.error_at("--rule", fmt::format("there is no rule '{}'", command.only),
                         near ? fmt::format("did you mean '{}'?", *near) : std::string());
  }
  if (!command.recheck.empty() && command.recheck != "cvc5") {
    diagnostics.error_at("--recheck", fmt::format("unknown solver '{}': expected cvc5", command.recheck));
  }
  if (!rules || diagnostics.has_errors()) {
    fmt::print(stderr, "{}", diagnostics.text());
    return ExitCode::BadInput;
  }
  CheckOptions options;
  options.instances.max_rank = command.max_rank;
  options.refute = command.refute;
  options.seed = command.seed;
  options.prove.keep_scripts = !command.smt.empty() || !command.recheck.empty();
  // A second solver may take a verdict back: then nothing is printed before it has been asked.
  bool alone = command.json == "-";  // JSON has standard output to itself
  bool at_once = command.recheck.empty() && !alone;
  auto show_verdict = [&](const Checked& checked) {
    if (at_once) {
      print_verdict(checked, command.verbose);
    }
  };
  auto show_repair = [&](const Checked& checked) {
    if (at_once) {
      print_repair(checked);
    }
  };
  std::vector<Checked> verdicts = check_all(chosen, options, command, show_verdict, show_repair);
  std::string folder = command.smt;
  bool scratch = folder.empty() && !command.recheck.empty();
  if (scratch) {
    std::error_code failure;
    std::filesystem::path temporary = std::filesystem::temp_directory_path(failure);
    if (failure) {
      diagnostics.error_at("TMPDIR", "the folder for temporary files is not there", "set TMPDIR to a folder that is");
      return give_up(diagnostics);
    }
    folder = (temporary / fmt::format("vouch-queries-{}", ::getpid())).string();
  }
  Recheck second;
  if (!folder.empty()) {
    if (!write_queries(verdicts, folder, diagnostics)) {
      return give_up(diagnostics);
    }
    if (!command.recheck.empty()) {
      second = recheck(verdicts, command.recheck, folder);
    }
  }
  std::error_code ignored;
  if (scratch) {
    std::filesystem::remove_all(folder, ignored);
  }
  for (std::size_t k = 0; !at_once && !alone && k < verdicts.size(); ++k) {
    print_verdict(verdicts[k], command.verbose);
    print_repair(verdicts[k]);
  }
  if (!alone) {
    print_summary(verdicts);
  }
  if (!command.recheck.empty() && !alone) {
    fmt::print("{}: {} queries agreed, {} open{}\n", command.recheck, second.agreed, second.open,
               second.missing ? " (the solver could not be run)" : "");
  }
  if (!command.coq.empty()) {
    std::optional<std::size_t> proofs = write_theorems(chosen, verdicts, command, options, diagnostics);
    if (!proofs) {
      return give_up(diagnostics);
    }
    if (!alone) {
      fmt::print("coq: {} rules have theorems in {}; 'vouch verify {}' checks them\n", *proofs, command.coq, command.coq);
    }
  }
  if (!command.json.empty()) {
    Json all;
    all["rules"] = Json::array();
    for (std::size_t k = 0; k < verdicts.size(); ++k) {
      all["rules"].push_back(json_of(*chosen[k], verdicts[k]));
    }
    if (!give_json(command.json, all, diagnostics)) {
      return give_up(diagnostics);
    }
  }
  return code_of(verdicts);
}

}  // namespace vouch
