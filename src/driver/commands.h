// The subcommands. Each prints results on standard output, diagnostics on standard error, and returns the exit code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "driver/exit_code.h"

namespace vouch {

struct RunCommand {
  std::string model;
  std::string io;                   // folder with in_* and out_*
  std::vector<std::string> inputs;  // NAME=FILE
  std::string out;                  // folder for the outputs
  double tolerance = 1e-4;          // relative to max|y|, per output
  bool exact = false;               // in rationals, for small graphs
  std::uint64_t memory = 0;         // bytes that what is computed may hold; 0: as RunOptions has it
  std::string json;                 // what was found, for machines: a file, or - for standard output
};
ExitCode run_model(const RunCommand& command);
// Prints every element of every output as an exact rational; refuses what has no exact value, with the reason.
ExitCode run_model_exactly(const RunCommand& command);

struct OptimizeCommand {
  std::string model;
  std::vector<std::string> rules;
  std::string out;
  std::string io;              // compares outputs before and after on these inputs
  std::string trace;           // writes every step (driver/trace_json.h)
  std::string replay;          // does the steps of this trace again instead of searching
  std::string report;          // writes an HTML page
  std::string json;            // the summary, for machines: a file, or - for standard output
  bool external_data = false;  // weights in a file beside the model that is written
  std::int64_t opset = 0;      // to write; 0: the model's own
  std::uint64_t memory = 0;    // bytes that the comparison may hold; 0: as RunOptions has it
  bool fold = true;
  bool allow_unproven = false;
  bool allow_cost = false;
  bool prove_result = false;  // as `vouch equiv` judges what was written
};
ExitCode optimize_model(const OptimizeCommand& command);

struct DrawCommand {
  std::string subject;  // a model's file, a rule's file, or the name of a rule of `rules`
  std::string out;
  std::vector<std::string> rules;
  std::string rule;       // which rule of a file
  std::size_t scope = 0;  // parts of names that one box stands for
  std::string match;      // colours where this rule of `rules` matches the model
  std::string json;       // what was drawn, for machines: a file, or - for standard output
};
ExitCode draw(const DrawCommand& command);

// How two models differ in structure (driver/diff.h). Refuted if they do.
struct DiffCommand {
  std::string a;
  std::string b;
  std::string out;  // a picture of both
  std::size_t scope = 0;
  std::string json;  // a file, or - for standard output
};
ExitCode diff(const DiffCommand& command);

// How the rules of a set stand to each other: pairs that undo each other, and critical overlaps.
struct RulesCommand {
  std::vector<std::string> rules;
  std::string json;  // a file, or - for standard output
};
ExitCode relate_rules(const RulesCommand& command);

struct WhyNotCommand {
  std::vector<std::string> rules;
  std::string rule;
  std::string model;
  std::string node;
  std::string json;  // a file, or - for standard output
};
ExitCode why_not(const WhyNotCommand& command);

}  // namespace vouch
