// `vouch check RULES…`: one line a rule, counterexamples below it, JSON for machines, solver queries as files.
#pragma once

#include <string>
#include <vector>

#include "driver/exit_code.h"

namespace vouch {

struct CheckCommand {
  std::vector<std::string> rules;  // files or folders
  std::string only;                // this rule alone
  std::string json;                // file; `-` for standard output; so the next three
  std::string sarif;               // for code scanning
  std::string junit;               // for continuous integration
  std::string badge;               // shields.io's endpoint
  std::string smt;                 // folder for the queries as SMT-LIB 2
  std::string coq;                 // folder for theorems about the sound rules, for `vouch verify`
  std::size_t coq_most = 12;       // instances stated of each rule, at most
  std::string recheck;             // a second solver (`cvc5`) that has to agree
  unsigned jobs = 0;               // rules at a time; 0: as many as there are processors
  std::uint32_t max_rank = 4;
  bool refute = true;
  std::uint32_t seed = 0;         // the solver's
  bool repair = true;             // look for conditions under which a refuted rule is sound
  std::string store;              // folder of verdicts that processes share; empty: none is kept
  bool again = false;             // prove also what the store knows
  bool fill = false;              // a job of `emit`: only the store matters
  std::vector<std::string> emit;  // `ninja` and a file: jobs are written instead of done
  std::string launcher;           // before the command of each
  std::size_t per_job = 1;        // rules
  bool watch = false;             // again whenever a file changes, until a signal comes
  bool verbose = false;           // what is left of rules that are not decided
};
ExitCode check_rules(const CheckCommand& command);

}  // namespace vouch
