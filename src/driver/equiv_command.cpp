#include "driver/equiv_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "driver/equality_trace.h"
#include "driver/equiv_files.h"
#include "driver/equiv_list.h"
#include "driver/equiv_page.h"
#include "driver/equiv_report.h"
#include "driver/equiv_second.h"
#include "driver/json_output.h"
#include "driver/region_rules.h"
#include "driver/region_store.h"
#include "io/file.h"
#include "io/tensor_file.h"
#include "support/displayable.h"
#include "support/process.h"

namespace vouch {
namespace {

// The input that tells the models apart, as `vouch run --io` takes it, and what was found there. The folder is made.
bool write_inputs(const EquivResult& result, const std::string& folder, Diagnostics& diagnostics) {
  const std::vector<Tensor>& witness = result.simulation.witness;
  std::error_code failed;  // then writing says so
  std::filesystem::create_directories(folder, failed);
  bool written = true;
  for (std::size_t k = 0; k < witness.size(); ++k) {
    std::string name = result.pair->graph.name(result.pair->graph.inputs()[k]);
    written = written && write_tensor(folder, "in_", {name, witness[k]}, diagnostics);
  }
  return written && give_json(folder + "/difference.json", equiv_json(result), diagnostics);
}

// The trace by which the second model was made, if it was given. Nothing that is a trace is written over by a proof.
bool read_how_it_was_made(EquivCommand& command, Diagnostics& diagnostics) {
  Diagnostics ignored;
  auto there = command.trace.empty() || !std::filesystem::is_regular_file(command.trace) ? std::nullopt
                                                                                         : read_file(command.trace, ignored);
  if (there && there->find("\"vouch_trace\"") != std::string::npos) {
    diagnostics.error_at("--trace", fmt::format("'{}' is a trace of 'vouch optimize', and would be written over", command.trace),
                         fmt::format("if it made the second model: --made-by {}", command.trace));
    return false;
  }
  if (!command.made_by.empty()) {
    command.making = read_making(command.made_by, command.a, command.made_by_rules, diagnostics);
  }
  return !diagnostics.has_errors();
}

// The regions as rules, their theorems, and the page, as they are asked for.
bool give_evidence(const EquivCommand& command, const EquivResult& result, Diagnostics& diagnostics) {
  bool shown = !json_alone(command.json) && !command.quiet;
  bool wanted = !command.rules.empty() || !command.coq.empty();
  std::vector<RegionRule> rules = wanted ? region_rules(result) : std::vector<RegionRule>();
  if (!command.rules.empty()) {
    if (!write_region_rules(rules, command.rules, diagnostics)) {
      return false;
    }
    auto without = std::count_if(rules.begin(), rules.end(), [](const RegionRule& rule) { return rule.text.empty(); });
    fmt::print("{}", shown ? fmt::format("  {} regions in {}, {} of them without a form as a rule\n", rules.size(), command.rules,
                                         without)
                           : "");
  }
  if (!command.coq.empty()) {
    auto theorems = write_region_theorems(rules, command.coq, diagnostics);
    if (!theorems) {
      return false;
    }
    std::string text = fmt::format("  coq: {} regions have theorems in {}; 'vouch verify {}' checks them\n", theorems->with,
                                   command.coq, command.coq);
    for (const std::string& name : theorems->without) {
      text += "  without theorem: " + displayable(name) + "\n";
    }
    fmt::print("{}", shown ? text : "");
  }
  auto page = command.report.empty() ? std::optional<std::string>() : equiv_page(command, result, diagnostics);
  return command.report.empty() || (page && write_file(command.report, *page, diagnostics));
}

ExitCode judge_pair(EquivCommand command, RegionVerdicts& verdicts) {
  Diagnostics diagnostics;
  EquivOptions options;
  options.verdicts = &verdicts;
  bool readable = read_how_it_was_made(command, diagnostics);
  WeightFiles weights;
  auto result = readable ? compare_files(command, options, true, diagnostics, &weights) : std::nullopt;
  if (!result || (command.making && !blame_step(*command.making, command.a, *result, diagnostics))) {
    return give_up(diagnostics);
  }
  std::string second = command.recheck.empty() ? "" : recheck_regions(*result, verdicts, command.recheck);
  if (!json_alone(command.json) && !command.quiet) {
    fmt::print("{}{}", equiv_text(*result), second);
  }
  bool written = give_json(command.json, equiv_json(*result), diagnostics) && give_evidence(command, *result, diagnostics);
  if (!command.trace.empty()) {
    auto trace = result->pair ? equality_trace(command, options, *result, weights, diagnostics) : std::nullopt;
    written = (!trace || give_json(command.trace, *trace, diagnostics)) && !diagnostics.has_errors() && written;
  }
  if (result->simulation.divergence && result->verdict == EquivVerdict::Different && !command.repro.empty()) {
    written = write_inputs(*result, command.repro, diagnostics) && written;
  }
  return written ? code_of(*result) : give_up(diagnostics);
}

}  // namespace

ExitCode judge_equivalence(const EquivCommand& command) {
  if (command.list.empty() && (command.a.empty() || command.b.empty())) {
    fmt::print(stderr, "vouch equiv: error: two models are needed, or --list with a file or folder of pairs\n");
    return ExitCode::Usage;
  }
  Diagnostics diagnostics;
  if (!command.recheck.empty() && find_program(command.recheck).empty()) {
    diagnostics.error_at("--recheck", fmt::format("the program '{}' is not found", command.recheck),
                         "install it, or name its path");
  }
  RegionStore verdicts(command.store, command.again, !command.recheck.empty(), diagnostics);
  if (diagnostics.has_errors()) {
    return give_up(diagnostics);
  }
  ExitCode code = command.list.empty() ? judge_pair(command, verdicts) : judge_list(command, verdicts);
  return verdicts.troubles().has_errors() ? give_up(verdicts.troubles()) : code;
}

void add_equiv_command(CLI::App& app, ExitCode& code) {
  auto command = std::make_shared<EquivCommand>();
  CLI::App* equiv = app.add_subcommand("equiv", "Prove that two models compute the same, or show an input on which they differ");
  equiv->add_option("a", command->a, "the first model (.onnx or .json)");
  equiv->add_option("b", command->b, "the second model");
  equiv->add_option("--list", command->list,
                    "judge many pairs: a file with two models on each line, relative to its folder, or a folder "
                    "in which each folder with two models is a pair");
  equiv->add_option("--junit", command->junit, "the verdicts of a list as JUnit XML, for CI")->needs("--list");
  equiv->add_option("-j,--jobs", command->jobs, "pairs of a list at a time")->capture_default_str();
  equiv->add_option("--map", command->map, "FIRST=SECOND: an input or output that the models call differently")->delimiter(',');
  equiv->add_option("--size", command->sizes, "NAME=NUMBER: a size of the first model that is left open")->delimiter(',');
  equiv->add_option("--assume", command->assume, "INPUT=LOW..HIGH: what the elements of an input are")->delimiter(',');
  equiv->add_option("--io", command->io, "folder with in_* tensors, on which the models are run first");
  equiv->add_option("--fold-tolerance", command->fold_tolerance,
                    "relative difference that a folded parameter may have: 1e-6 by default, of float16 0.002, of bfloat16 0.016");
  equiv->add_flag("--exact", command->exact, "ask for bit equality: no law of arithmetic counts");
  equiv->add_option("--repro", command->repro, "folder for an input on which the models differ, for `vouch run --io`");
  equiv->add_option("--json", command->json, "what was found, for machines: to this file, or - for standard output");
  equiv->add_option("--trace", command->trace,
                    "every step of the proof, in order, to this file; `vouch verify` goes through *.equalities.json again");
  auto* made_by = equiv->add_option("--made-by", command->made_by,
                                    "a trace of `vouch optimize` that made the second model of the first: where they differ, "
                                    "names the step and its rule");
  equiv->add_option("--made-by-rules", command->made_by_rules, "rule files or folders of that run; without it the shipped rules")
      ->needs(made_by);
  equiv->add_option("--report", command->report,
                    "a page for a browser: both graphs with what is equal in one colour, and every region");
  equiv->add_option("--rules", command->rules, "folder for the regions, proven and open, as rules that `vouch check` reads");
  equiv->add_option("--coq", command->coq, "folder for theorems of proven regions, for `vouch verify`");
  equiv->add_option("--recheck", command->recheck, "a second solver that must agree on what regions rest on (cvc5)");
  auto* store =
      equiv->add_option("--store", command->store,
                        "folder of regions' verdicts that processes and machines share: what it knows is not proven again");
  equiv->add_flag("--again", command->again, "prove also what the store knows, and say where it differs")->needs(store);
  for (const char* alone : {"--report", "--rules", "--coq", "--recheck", "--trace", "--json", "--repro", "--made-by"}) {
    equiv->get_option("--list")->excludes(equiv->get_option(alone));
  }
  equiv->callback([command, &code] { code = judge_equivalence(*command); });
}

}  // namespace vouch
