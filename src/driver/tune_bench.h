// How long a kernel's C text takes: it is compiled with a program that calls it on arrays of numbers, and that program is run.
// What was measured is kept in the user's folder of such files, under all that it depends on, so that a tuning that was
// stopped goes on where it was.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "array/program.h"
#include "support/at_signal.h"
#include "support/diagnostic.h"

namespace vouch {

struct TuneSetting {
  std::string compiler;            // the program's file
  std::vector<std::string> flags;  // each a word
  unsigned threads = 1;
  std::string machine;   // the processor's name
  std::string identity;  // of the compiler, as it prints it
};
// Errors: there is no such compiler.
std::optional<TuneSetting> tune_setting(const std::string& compiler, const std::string& flags, unsigned threads,
                                        Diagnostics& diagnostics);

// Arrays of a kernel whose sizes are numbers. An error, if they have names or no memory holds them.
std::optional<std::uint64_t> bench_bytes(const array::Program& program, Diagnostics& diagnostics);

// Of one text; `seconds` are of one call, as many as it was asked for.
struct Measurement {
  std::vector<double> seconds;
  std::string bits;  // a hash of the output's bytes
  std::string why;   // why there is none
};
double median(std::vector<double> values);

class TuneBench {
 public:
  // `again`: what was kept is measured anew.
  TuneBench(const array::Program& program, TuneSetting setting, bool again);

  // At least that many; what is kept counts. The header is that of the text.
  Measurement measure(const std::string& c, const std::string& header, std::size_t rounds);

 private:
  std::string key(const std::string& c) const;
  std::string kept_path(const std::string& key) const;
  Measurement find(const std::string& key) const;
  void keep(const std::string& key, const Measurement& measured) const;
  std::string compiled(const std::string& key, const std::string& c, const std::string& header, std::string& why);
  void run_once(const std::string& program, Measurement& measured) const;

  std::string name_;
  std::string main_;
  TuneSetting setting_;
  std::string folder_;  // of what is kept; empty: nothing is
  bool again_;
  std::map<std::string, Measurement> measured_;
  std::map<std::string, std::string> programs_;
  ScratchFolder scratch_;
};

}  // namespace vouch
