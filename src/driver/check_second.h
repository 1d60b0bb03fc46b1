// The queries that verdicts rest on as SMT-LIB 2 files, and a second solver that has to agree with each.
#pragma once

#include <optional>
#include <string>

#include "driver/check_report.h"

namespace vouch {

// Each query of each sound rule as one file of the folder.
bool write_queries(const std::vector<CheckedRule>& rules, const std::string& folder, Diagnostics& diagnostics);

struct SecondAnswers {
  std::size_t agreed = 0;
  std::size_t open = 0;
  bool missing = false;  // the solver could not be run
};

// What the solver says to one script in a file: `unsat`, `sat`, …; nothing if it cannot be run.
std::optional<std::string> second_answer(const std::string& solver, const std::string& path);

// A rule stays sound only if the solver agrees on every query that `write_queries` wrote.
SecondAnswers ask_second(std::vector<CheckedRule>& rules, const std::string& solver, const std::string& folder);

}  // namespace vouch
