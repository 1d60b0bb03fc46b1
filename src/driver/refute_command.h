// `vouch refute` and `vouch replay`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "driver/exit_code.h"

namespace vouch {

struct RefuteCommand {
  std::vector<std::string> rules;
  std::string only;  // one rule by name
  std::string save;  // folder for reproductions
  std::uint32_t seed = 1;
  int assignments = 6;
  int draws = 3;
  bool suggest = false;  // conditions that may repair what is refuted
};
// Looks for counterexamples without trying to prove anything: one line a rule, and what was found.
ExitCode refute_rules(const RefuteCommand& command);

// Runs a saved counterexample again, exactly: Refuted if both sides still fail as it says, Ok if they agree.
ExitCode replay_file(const std::string& path);

}  // namespace vouch
