// Running `coqc`: with an environment of its own, nothing in its working folder, within limits (support/process.h).
#pragma once

#include <string>
#include <vector>

#include "support/process.h"

namespace vouch {

using CoqLimits = ProcessLimits;

// `Accepted` and `Refused` are Coq's words; `NotHad` means that it had none: it could not be started, was killed, ran into a
// limit, or could not write.
enum class CoqEnd { Accepted, Refused, NotHad };

struct CoqRun {
  CoqEnd end = CoqEnd::NotHad;
  std::string said;    // what it printed; where it refused, on standard error too
  std::string why;     // NotHad: the reason
  double seconds = 0;  // of processor time
};

// Runs `coqc` with these words. Files are to be named by their whole paths.
CoqRun run_coqc(std::vector<std::string> words, const CoqLimits& limits);

// The first lines of an answer.
std::string first_lines(const std::string& text, int count);

}  // namespace vouch
