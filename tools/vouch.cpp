// The command `vouch`: options, and a call into the driver.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <exception>
#include <new>
#include <system_error>

#include "driver/build_command.h"
#include "driver/check_commands.h"
#include "driver/command_line.h"
#include "driver/commands.h"
#include "driver/editor_commands.h"
#include "driver/equiv_command.h"
#include "driver/help_text.h"
#include "driver/index_commands.h"
#include "driver/kernel_commands.h"
#include "driver/operator_reference.h"
#include "driver/option_values.h"
#include "driver/refute_commands.h"
#include "driver/standard_streams.h"
#include "support/at_signal.h"
#include "support/fault.h"
#include "tools/build_facts.h"

using vouch::ExitCode;

#ifdef VOUCH_JEMALLOC
// Read by jemalloc. Huge pages: Z3 fills two tables of 8 MB when it starts, which took a third of a short run in page faults.
extern "C" const char* malloc_conf;
const char* malloc_conf = "thp:always,oversize_threshold:0";
#endif

const char* const kRulesHelp = "rule files or folders; without it the shipped rules";
const char* const kMemoryHelp = "bytes that computed tensors may hold at one time, such as 8G; without it 4G";
const char* const kJsonHelp = "what was found, for machines: to this file, or - for standard output";

int main(int argc, char** argv) {
  if (!vouch::prepare_streams()) {
    return static_cast<int>(ExitCode::BadInput);
  }
  vouch::clean_up_on_signals();
  CLI::App app("Change tensor programs without changing their meaning.", "vouch");
  app.require_subcommand(1);
  app.set_version_flag("--version", vouch::build_facts);
  ExitCode code = ExitCode::Ok;

  vouch::RunCommand run;
  CLI::App* run_app = app.add_subcommand("run", "Run a model with the reference interpreter");
  run_app->add_option("model", run.model, "the model (.onnx or .json)")->required();
  run_app->add_option("--io", run.io, "folder with in_* and reference out_* tensors (.npy, .json, .pb), or test data of ONNX");
  run_app->add_option("--input", run.inputs, "NAME=FILE, a tensor for one input (.npy, .json, .bin, .pb)");
  run_app->add_option("--out", run.out, "folder for the outputs");
  run_app->add_option("--tolerance", run.tolerance, "largest error allowed, relative to max|y|")->capture_default_str();
  run_app->add_flag("--exact", run.exact, "evaluate in exact rationals and print every element (small models; .json too)");
  run_app->add_option("--memory", run.memory, kMemoryHelp)->transform(CLI::AsSizeValue(false));
  run_app->add_option("--json", run.json, kJsonHelp);
  run_app->callback([&] { code = vouch::run_model(run); });

  vouch::OptimizeCommand optimize;
  CLI::App* optimize_app = app.add_subcommand("optimize", "Rewrite a model by rules to a fixpoint");
  optimize_app->add_option("model", optimize.model, "the model (.onnx or .json)")->required();
  optimize_app->add_option("--rules", optimize.rules, kRulesHelp);
  optimize_app->add_option(
      "--io", optimize.io,
      "folder with in_* tensors (.npy, .json, .pb), or test data of ONNX: compares outputs before and after");
  optimize_app->add_option("--memory", optimize.memory, kMemoryHelp)->transform(CLI::AsSizeValue(false))->needs("--io");
  optimize_app->add_option("-o,--output", optimize.out, "the rewritten model (.onnx or .json)");
  optimize_app->add_flag("--external-data", optimize.external_data, "write weights into a file beside the model");
  optimize_app->add_option("--opset", optimize.opset, "the opset to write; without it the model's own");
  optimize_app->add_option("--trace", optimize.trace, "write every step (.json), to be done again with --replay");
  optimize_app->add_option("--replay", optimize.replay, "do the steps of this trace again: each match is checked, none searched")
      ->excludes("--trace");
  optimize_app->add_option("--report", optimize.report, "write a page about the run (.html)");
  optimize_app->add_flag("--allow-unproven", optimize.allow_unproven, "let rules fire that are not proven");
  optimize_app->add_flag("--allow-cost", optimize.allow_cost, "let rules fire that make the model cost more");
  optimize_app->add_option("--json", optimize.json, kJsonHelp);
  optimize_app->add_flag("!--no-fold", optimize.fold, "do not evaluate calls on parameters ahead of time");
  optimize_app->add_flag("--prove-result", optimize.prove_result, "judge the written model as 'vouch equiv' does")
      ->needs("--output");
  optimize_app->callback([&] { code = vouch::optimize_model(optimize); });

  vouch::DrawCommand draw;
  CLI::App* draw_app = app.add_subcommand("draw", "Draw a model or the two sides of a rule");
  draw_app->add_option("subject", draw.subject, "a model (.onnx or .json), a rule file (.gsl), or a rule's name")->required();
  draw_app
      ->add_option("-o,--output", draw.out,
                   "the picture (.svg, .html to zoom and search, .png, .pdf, .dot), or - for SVG on standard output")
      ->required();
  draw_app->add_option("--rules", draw.rules, kRulesHelp);
  draw_app->add_option("--rule", draw.rule, "which rule of a rule file");
  draw_app->add_option("--match", draw.match, "colour where this rule matches the model");
  draw_app->add_option("--scope", draw.scope, "one box for all whose names agree in this many parts (/encoder/layer0: 2)");
  draw_app->add_option("--json", draw.json, kJsonHelp);
  draw_app->callback([&] { code = vouch::draw(draw); });

  vouch::DiffCommand diff;
  CLI::App* diff_app = app.add_subcommand("diff", "Show how two models differ in structure");
  diff_app->add_option("a", diff.a, "a model (.onnx or .json)")->required();
  diff_app->add_option("b", diff.b, "another")->required();
  diff_app->add_option("-o,--output", diff.out, "a picture of both (.svg, .html to zoom and search, .png, .pdf, .dot)");
  diff_app->add_option("--scope", diff.scope, "one box for all whose names agree in this many parts (/encoder/layer0: 2)");
  diff_app->add_option("--json", diff.json, kJsonHelp);
  diff_app->callback([&] { code = vouch::diff(diff); });

  vouch::RulesCommand relate;
  CLI::App* relate_app = app.add_subcommand("rules", "List pairs of rules that undo each other, and critical overlaps");
  relate_app->add_option("rules", relate.rules, "rule files or folders")->required();
  relate_app->add_option("--json", relate.json, kJsonHelp);
  relate_app->callback([&] { code = vouch::relate_rules(relate); });

  vouch::WhyNotCommand why;
  CLI::App* why_app = app.add_subcommand("why-not", "Say why a rule does not match");
  why_app->add_option("rule", why.rule, "the rule's name")->required();
  why_app->add_option("model", why.model, "the model (.onnx or .json)")->required();
  why_app->add_option("--rules", why.rules, kRulesHelp);
  why_app->add_option("--node", why.node, "the node; without it the best partial match of the model");
  why_app->add_option("--json", why.json, kJsonHelp);
  why_app->callback([&] { code = vouch::why_not(why); });

  vouch::add_build_command(app, code);
  vouch::add_kernel_commands(app, code);
  vouch::add_index_commands(app, code);
  vouch::OpsCommand ops;
  CLI::App* ops_app = app.add_subcommand("ops", "List the operators");
  ops_app->add_option("operator", ops.name, "this one alone, with its attributes and its formula");
  ops_app->add_flag("--markdown", ops.markdown, "the reference, with attributes and formulas");
  ops_app->callback([&] { code = vouch::list_operators(ops); });

  vouch::add_equiv_command(app, code);
  vouch::add_check_commands(app, code);
  vouch::add_refute_commands(app, code);
  vouch::add_editor_commands(app, code);
  vouch::add_manual_commands(app);
  vouch::shape_help(app);
  vouch::refuse_unlikely_values(app);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      errno = 0;
      app.exit(error);  // --help, --version
      return vouch::end_output(ExitCode::Ok, errno);
    }
    fmt::print(stderr, "{}", vouch::usage_error(app, error, argc, argv));
    return vouch::end_output(ExitCode::Usage);
  } catch (const std::bad_alloc&) {
    vouch::fault("out of memory");
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) == 0) {
      vouch::fault(error.what());
    }
    return vouch::end_output(ExitCode::Ok, error.code().value());
  } catch (const std::exception& error) {
    vouch::fault(error.what());
  } catch (...) {
    vouch::fault("an exception of an unknown kind");
  }
  return vouch::end_output(code);
}
