// `vouch equiv A B`: are two models the same function?
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/exit_code.h"
#include "driver/made_by.h"
#include "driver/model.h"

namespace CLI {
class App;
}

namespace vouch {

struct EquivCommand {
  std::string a;
  std::string b;
  std::vector<std::string> map;     // A's name=B's name, of inputs and outputs
  std::vector<std::string> sizes;   // name=number
  std::vector<std::string> assume;  // input=lo..hi
  std::string io;                   // folder with in_* tensors: tried first
  std::optional<double> fold_tolerance;
  bool exact = false;
  bool quiet = false;
  std::string json;                        // a file, or - for standard output
  std::string repro;                       // folder for the input that tells the models apart
  std::string trace;                       // every step of the proof
  std::string made_by;                     // a trace of `vouch optimize` that made the second model of the first
  std::vector<std::string> made_by_rules;  // the rule files of that run; none: the shipped ones
  std::shared_ptr<const Making> making;    // what these two say, if it is known already
  std::string list;                        // judges the pairs of this file instead
  std::string junit;                       // their verdicts
  unsigned jobs = 1;                       // of these pairs at a time
  std::string report;                      // a page
  std::string rules;                       // folder for regions as rules
  std::string coq;                         // folder for their theorems
  std::string recheck;                     // a second solver
  std::string store;                       // folder of regions' verdicts
  bool again = false;                      // proves what the store knows
};

ExitCode judge_equivalence(const EquivCommand& command);

void add_equiv_command(CLI::App& app, ExitCode& code);

}  // namespace vouch
