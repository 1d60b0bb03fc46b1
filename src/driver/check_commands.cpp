#include "driver/check_commands.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "check/show.h"
#include "check/suggest_condition.h"
#include "check/verdict.h"
#include "driver/model.h"
#include "driver/progress.h"
#include "driver/verdict_store.h"

namespace vouch {
namespace {

struct CheckCommand {
  std::vector<std::string> rules;
  std::string only;
  bool json = false;
  bool repair = true;
};

struct Totals {
  std::size_t sound = 0;
  std::size_t refuted = 0;
  std::size_t unknown = 0;
};

bool is_refuted(VerdictKind kind) { return kind == VerdictKind::Unsound || kind == VerdictKind::IllTyped; }
bool is_sound(VerdictKind kind) { return kind == VerdictKind::SoundExact || kind == VerdictKind::SoundReal; }

std::string repair_text(const Rule& rule) {
  auto repair = suggest_repair(rule);
  if (!repair) {
    return "";
  }
  bool proven = is_sound(check_rule(repair->rule).kind);
  std::string out = proven ? "  sound with\n" : "  not refuted (and not proven) with\n";
  for (const std::string& condition : repair->conditions) {
    out += fmt::format("    where {};\n", condition);
  }
  return out;
}

void print_verdict(const Rule& rule, const Verdict& verdict, double milliseconds, bool repair) {
  fmt::print("{:<40} {:<14} {:>8.0f} ms  {} instances\n", rule.name, verdict_text(verdict.kind), milliseconds, verdict.instances);
  if (!verdict.reason.empty()) {
    fmt::print("  {}\n", verdict.reason);
  }
  if (verdict.counterexample) {
    fmt::print("{}", show_counterexample(*verdict.counterexample));
  }
  if (verdict.counterexample && repair) {
    fmt::print("{}", repair_text(rule));
  }
  std::fflush(stdout);  // a line for each rule while it runs
}

nlohmann::ordered_json verdict_json(const Rule& rule, const Verdict& verdict, double milliseconds) {
  nlohmann::ordered_json out{{"rule", rule.name},           {"hash", rule.content_hash},  {"verdict", verdict_text(verdict.kind)},
                             {"reason", verdict.reason},    {"ms", milliseconds},         {"instances", verdict.instances},
                             {"exact", verdict.exact},      {"real", verdict.real},       {"vacuous", verdict.vacuous},
                             {"unknown", verdict.unknown},  {"queries", verdict.queries}, {"slowest_query_ms", verdict.slowest_query_ms}};
  out["counterexample"] = verdict.counterexample ? nlohmann::ordered_json(show_counterexample(*verdict.counterexample)) : nullptr;
  return out;
}

ExitCode check_rules(const CheckCommand& command) {
  Diagnostics diagnostics;
  auto rules = load_rules(command.rules, diagnostics);
  if (!rules) {
    fmt::print(stderr, "{}", diagnostics.text());
    return ExitCode::BadInput;
  }
  if (!command.only.empty()) {
    std::erase_if(*rules, [&](const Rule& rule) { return rule.name != command.only; });
    if (rules->empty()) {
      fmt::print(stderr, "--rule: error: there is no rule '{}'\n", command.only);
      return ExitCode::BadInput;
    }
  }
  VerdictStore store;
  Totals totals;
  auto all = nlohmann::ordered_json::array();
  Progress progress("checking");
  for (std::size_t k = 0; k < rules->size(); ++k) {
    const Rule& rule = (*rules)[k];
    progress.update(k, rules->size(), rule.name);
    auto start = std::chrono::steady_clock::now();
    Verdict verdict = check_rule(rule);
    std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
    store.keep(rule, verdict);
    ++(is_sound(verdict.kind) ? totals.sound : is_refuted(verdict.kind) ? totals.refuted : totals.unknown);
    if (command.json) {
      all.push_back(verdict_json(rule, verdict, spent.count()));
    } else {
      print_verdict(rule, verdict, spent.count(), command.repair);
    }
  }
  if (command.json) {
    fmt::print("{}\n", all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  } else {
    fmt::print("\n{} sound, {} refuted, {} undecided\n", totals.sound, totals.refuted, totals.unknown);
  }
  return totals.refuted != 0 ? ExitCode::Refuted : totals.unknown != 0 ? ExitCode::Undecided : ExitCode::Ok;
}

}  // namespace

void add_check_commands(CLI::App& app, ExitCode& code) {
  auto command = std::make_shared<CheckCommand>();
  CLI::App* check = app.add_subcommand("check", "Prove rules for all sizes, attributes and values, or refute them");
  check->add_option("rules", command->rules, "rule files or folders")->required();
  check->add_option("--rule", command->only, "this rule only");
  check->add_flag("--json", command->json, "print the verdicts as JSON");
  check->add_flag("!--no-repair", command->repair, "look for no side conditions that would repair a refuted rule");
  check->callback([command, &code] { code = check_rules(*command); });
}

}  // namespace vouch
