// What the command's exit codes mean; the same for every subcommand.
#pragma once

namespace vouch {

class Diagnostics;

enum class ExitCode : int {
  Ok = 0,
  Refuted = 1,    // a rule is unsound, a certificate fails, numbers differ
  Undecided = 2,  // unknown or timed out, nothing refuted
  BadInput = 3,   // parse, type, schema, unsupported operator
  Fault = 4,      // a fault of ours
  Usage = 64,
};

// Prints what was wrong with the input on standard error.
ExitCode give_up(const Diagnostics& diagnostics);

}  // namespace vouch
