// The subcommand `vouch build`: a model in, a C library out.
#pragma once

#include <string>
#include <vector>

#include "driver/exit_code.h"

namespace CLI {
class App;
}

namespace vouch {

struct BuildCommand {
  std::string model;
  std::string out;
  std::vector<std::string> rules;  // none: the shipped ones
  bool rewrite = true;
  std::vector<std::string> sizes;  // NAME=VALUE, NAME=1,2,4, NAME=1..8
  std::string name;                // of the library; the model's file's if empty
  bool embed = false;
  bool no_alloc = false;
  bool threads = false;
  std::vector<std::string> emit;  // `ninja` and a file: its certificates as jobs (driver/verify_jobs.h)
  std::string store;              // of their answers
  std::string launcher;
  bool plain = false;
  bool fma = false;               // products are added by `fma`
  bool lanes = false;             // exp, tanh and erf of floats are approximations
  bool reorder = false;           // sums of kernels that read no copies may be in another order
  std::string target = "native";  // without versions: whose tiles kernels have (driver/processor.h)
  std::string targets;            // kernels in tiles have versions, `generic,avx2`; empty: one text
  std::string json;               // the manifest, for machines: a file, or - for standard output
};
ExitCode build_model(const BuildCommand& command);

void add_build_command(CLI::App& app, ExitCode& code);

}  // namespace vouch
