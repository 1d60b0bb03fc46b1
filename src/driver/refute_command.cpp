#include "driver/refute_command.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>

#include "check/check.h"
#include "driver/counterexample_file.h"
#include "driver/model.h"
#include "driver/standard_streams.h"
#include "refute/refute.h"
#include "refute/show.h"
#include "refute/suggest_condition.h"

namespace vouch {
namespace {

void print_result(const Rule& rule, const Refutation& result, double milliseconds) {
  if (result.counterexample) {
    bool typed = result.counterexample->failing != Failing::IllTyped;
    fmt::print("{:<44} {} ({:.0f} ms)\n{}", rule.name, typed ? "unsound" : "ill-typed", milliseconds,
               show_counterexample(*result.counterexample, rule));
    return;
  }
  std::string tried =
      fmt::format("{} instances, {} legal assignments, {} comparisons", result.instances, result.legal, result.compared);
  std::string untried = result.unsupported.empty() ? result.first_error : result.unsupported;
  fmt::print("{:<44} not refuted ({}, {:.0f} ms){}{}\n", rule.name, tried, milliseconds,
             untried.empty() ? "" : "; not tried: ", untried);
}

// A condition is only offered with what the prover says of it.
void print_repair(const Rule& rule) {
  auto repair = suggest_repair(rule);
  if (!repair) {
    fmt::print("  no condition of the grammar repairs it\n");
    return;
  }
  fmt::print("  not refuted any more (on {} comparisons) with\n", repair->compared);
  for (const std::string& condition : repair->conditions) {
    fmt::print("    where {};\n", condition);
  }
  RuleVerdict verdict = check_rule(repair->rule, {});
  fmt::print("  which is then {}{}{}\n", verdict_name(verdict.verdict), verdict.reason.empty() ? "" : ": ", verdict.reason);
}

}  // namespace

ExitCode refute_rules(const RefuteCommand& command) {
  Diagnostics diagnostics;
  auto rules = load_rules(command.rules, diagnostics);
  if (!rules) {
    return give_up(diagnostics);
  }
  std::error_code error;
  if (!command.save.empty()) {
    std::filesystem::create_directories(command.save, error);
  }
  RefuteOptions options;
  options.seed = command.seed;
  options.assignments = command.assignments;
  options.draws = command.draws;
  bool refuted = false;
  bool found = false;
  for (const Rule& rule : *rules) {
    if (!command.only.empty() && rule.name != command.only) {
      continue;
    }
    found = true;
    auto start = std::chrono::steady_clock::now();
    Refutation result = refute_rule(rule, options);
    std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
    print_result(rule, result, spent.count());
    if (result.counterexample && command.suggest) {
      print_repair(rule);
    }
    flush_output();  // a line for each rule while it runs
    refuted = refuted || result.counterexample;
    std::string path = (std::filesystem::path(command.save) / (rule.name + ".json")).string();
    if (result.counterexample && !command.save.empty() &&
        !write_counterexample(rule.name, *result.counterexample, path, diagnostics)) {
      return give_up(diagnostics);
    }
  }
  if (!found && !command.only.empty()) {
    std::vector<std::string> names;
    for (const Rule& rule : *rules) {
      names.push_back(rule.name);
    }
    auto near = suggest(command.only, names);
    diagnostics.error_at("--rule", fmt::format("there is no rule '{}'", command.only),
                         near ? fmt::format("did you mean '{}'?", *near) : std::string());
    return give_up(diagnostics);
  }
  return refuted ? ExitCode::Refuted : ExitCode::Ok;
}

ExitCode replay_file(const std::string& path) {
  Diagnostics diagnostics;
  if (std::string takers = takers_of(path); !takers.empty()) {
    diagnostics.error_at(path, "expected a counterexample that 'vouch refute --save' wrote (.json)", takers);
    return give_up(diagnostics);
  }
  auto saved = read_counterexample(path, diagnostics);
  if (!saved) {
    return give_up(diagnostics);
  }
  const Counterexample& c = saved->counterexample;
  if (c.failing == Failing::IllTyped || c.failing == Failing::Types) {
    fmt::print("{}: nothing to run, the types fail: {}\n", saved->rule, c.reason);
    return ExitCode::Refuted;
  }
  auto again = run_again(c);
  if (!again) {
    fmt::print("{}: both sides agree\n", saved->rule);
    return ExitCode::Ok;
  }
  fmt::print("{}\n{}", saved->rule, show_counterexample(*again));
  return ExitCode::Refuted;
}

}  // namespace vouch
