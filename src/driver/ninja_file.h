// Lists of independent jobs for Ninja (https://ninja-build.org/manual.html): each one command, with what it reads and what it
// makes. `launcher`, a variable of the file, comes before every command: `ninja launcher=…` cannot set it, `--launcher` does.
#pragma once

#include <string>
#include <vector>

#include "support/diagnostic.h"

namespace vouch {

struct NinjaJob {
  std::vector<std::string> words;  // of the command
  std::vector<std::string> reads;
  std::vector<std::string> makes;  // at least one
  std::string what;                // for people
};

struct NinjaFile {
  std::string launcher;  // `srun -n1 -c1 --quiet`; empty: none
  std::vector<NinjaJob> jobs;
  NinjaJob last;  // after all jobs, by itself, without the launcher; no words: there is none
};

// The file's text. An error names a path that Ninja cannot be told (one with a line end or a '|').
std::optional<std::string> print_ninja(const NinjaFile& file, Diagnostics& diagnostics);

// Without `.` and `..`, whatever folder a job runs in.
std::string absolute_path(const std::string& path);

// A word for /bin/sh.
std::string shell_word(std::string_view text);

// This program's file, for the commands of jobs.
std::string this_program();

}  // namespace vouch
