#include "driver/check_second.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "io/file.h"
#include "support/process.h"

namespace vouch {

std::optional<std::string> second_answer(const std::string& solver, const std::string& path) {
  static const std::string program = find_program(solver);
  if (program.empty()) {
    return std::nullopt;
  }
  ProcessRequest request{{program, "--tlimit=10000", std::filesystem::absolute(path).string()}, std::nullopt, {}, {}, {}};
  request.limits.time = std::chrono::seconds(60);
  ProcessRun run = run_process(request);
  return run.ended ? std::optional(run.said.substr(0, run.said.find('\n'))) : std::nullopt;
}

bool write_queries(const std::vector<CheckedRule>& rules, const std::string& folder, Diagnostics& diagnostics) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  for (const CheckedRule& checked : rules) {
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

SecondAnswers ask_second(std::vector<CheckedRule>& rules, const std::string& solver, const std::string& folder) {
  SecondAnswers total;
  for (CheckedRule& checked : rules) {
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

}  // namespace vouch
