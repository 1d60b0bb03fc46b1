#include "driver/build_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "build/library_files.h"
#include "driver/json_output.h"
#include "driver/kernel_commands.h"
#include "driver/library_folder.h"
#include "driver/library_report.h"
#include "driver/manifest.h"
#include "driver/model.h"
#include "driver/ninja_file.h"
#include "driver/option_values.h"
#include "driver/processor.h"
#include "driver/progress.h"
#include "driver/shipped.h"
#include "driver/targets.h"
#include "io/file.h"
#include "io/onnx_whole.h"
#include "io/whole_json.h"
#include "optimize/gate.h"
#include "rewrite/pipeline.h"
#include "rule/parse.h"
#include "rule/print.h"
#include "support/hash.h"

namespace vouch {
namespace {

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  auto [after, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc() && after == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// `1`, `1,2,4`, `1..8`: several ascend.
std::optional<std::vector<std::int64_t>> size_values(std::string_view text) {
  std::vector<std::int64_t> out;
  if (std::size_t dots = text.find(".."); dots != std::string_view::npos) {
    auto from = whole_number(text.substr(0, dots));
    auto to = whole_number(text.substr(dots + 2));
    for (std::int64_t value = from.value_or(1); from && to && value <= *to && out.size() <= kMostPlans; ++value) {
      out.push_back(value);
    }
    return out.empty() ? std::nullopt : std::optional(out);
  }
  for (std::size_t comma = 0; comma != std::string_view::npos; text = text.substr(std::min(comma, text.size() - 1) + 1)) {
    comma = text.find(',');
    auto value = whole_number(text.substr(0, comma));
    if (!value || (!out.empty() && *value <= out.back())) {
      return std::nullopt;
    }
    out.push_back(*value);
  }
  return out;
}

class BuildRun {
 public:
  explicit BuildRun(const BuildCommand& command) : command_(command) {}

  ExitCode run() {
    auto recipe = recipe_of();
    auto sources = recipe ? sources_of(*recipe) : std::nullopt;
    Progress progress("build");
    LibraryWatch watch;
    watch.on_kernel = [&](std::size_t done, std::size_t total) { progress.update(done, total, "kernels"); };
    auto built = sources ? build_library(*recipe, *sources, diagnostics_, watch) : std::nullopt;
    if (!built || !write_library(command_.out, *built, diagnostics_)) {
      return give_up(diagnostics_);
    }
    if (!json_alone(command_.json)) {
      fmt::print("{}  written  {}\n{}", library_summary(*built), command_.out, next_steps(built->library));
    }
    auto manifest = whole_json(built->files.at(std::string(kManifest)));
    return give_json(command_.json, manifest, diagnostics_) ? ExitCode::Ok : give_up(diagnostics_);
  }

 private:
  // As one would type them.
  std::string next_steps(const Library& library) const {
    const std::string& name = library.plan.name;
    std::string folder = command_.out.substr(0, command_.out.find_last_not_of('/') + 1);
    std::string tree = shell_word(folder + "-tree");
    return fmt::format(
        "  next     cmake -S {0} -B {1} && cmake --build {1}\n"
        "           {2}{3}\n"
        "           vouch verify {0}\n",
        shell_word(folder), tree, shell_word(fmt::format("{}-tree/{}_example", folder, name)),
        example_words(library, shell_word(fmt::format("{}/{}.weights", folder, name))));
  }

  std::optional<LibraryRecipe> recipe_of() {
    std::filesystem::path path(command_.model);
    auto kind = model_kind(command_.model, diagnostics_);
    if (!kind) {
      return std::nullopt;
    }
    LibraryRecipe recipe{
        name_for(path),
        kind == ModelKind::Json ? "model.json" : "model.onnx",
        {},
        {command_.embed, command_.no_alloc, command_.threads, command_.plain, command_.fma, command_.lanes, command_.reorder}};
    if (auto targets = targets_of(command_.targets, diagnostics_)) {
      recipe.options.targets = std::move(*targets);
      if (recipe.options.targets.empty() && !command_.plain) {
        recipe.options.target = target_name(command_.target);
      }
    }
    for (const std::string& text : command_.sizes) {
      std::size_t equals = text.rfind('=');  // a size's name may have it, a number not
      bool named = equals != std::string::npos && equals > 0;
      auto values = named ? size_values(std::string_view(text).substr(equals + 1)) : std::nullopt;
      if (!values || !recipe.sizes.emplace(text.substr(0, equals), std::move(*values)).second) {
        diagnostics_.error_at("--size", fmt::format("expected NAME=VALUE, each name once, found '{}'", text),
                              "several values ascend: batch=1,2,4 or batch=1..8");
        return std::nullopt;
      }
    }
    if (how_many_plans(recipe.sizes) > kMostPlans) {
      diagnostics_.error_at("--size", fmt::format("a library has at most {} choices of sizes", kMostPlans),
                            "leave values out, or build several libraries");
    }
    return diagnostics_.has_errors() ? std::nullopt : std::optional(recipe);
  }

  // That of the file, or of its folder where the file is just called `model`.
  std::string name_for(const std::filesystem::path& path) {
    std::string folder = std::filesystem::absolute(path).parent_path().filename().string();
    std::string stem = command_.model == "-" ? "model" : path.stem().string();
    std::string wish = command_.name.empty() ? (stem == "model" && !folder.empty() ? folder : stem) : command_.name;
    std::string name = library_name(wish);
    if (!command_.name.empty() && name != command_.name) {
      diagnostics_.error_at("--name", fmt::format("expected a name that C has free, found '{}'", command_.name),
                            fmt::format("'{}' could be used", name));
    }
    return name;
  }

  // What `source/` will have: a library needs no file outside of its folder.
  std::optional<std::string> model_text(const LibraryRecipe& recipe) {
    auto bytes = read_file(command_.model, diagnostics_);
    return bytes && recipe.model.ends_with(".onnx") ? whole_onnx(std::move(*bytes), command_.model, diagnostics_) : bytes;
  }

  // Searches once; the files are made from the trace of it.
  std::optional<LibrarySources> sources_of(const LibraryRecipe& recipe) {
    auto bytes = model_text(recipe);
    auto written = !bytes             ? std::nullopt
                   : command_.rewrite ? load_named_or_shipped(command_.rules, diagnostics_)
                                      : std::optional(std::vector<Rule>());
    auto rules = written ? as_printed(*written) : std::nullopt;
    auto graphs = rules ? library_graphs(recipe, *bytes, diagnostics_) : std::nullopt;
    if (!graphs) {
      return std::nullopt;
    }
    Progress progress("rewriting");
    OptimizeOptions options;
    options.unpack = true;
    options.on_progress = [&](std::size_t done, std::size_t total) { progress.update(done, total); };
    Gate gate(*rules, false);
    options.admissions = gate.admissions();
    std::set<std::string> fired;
    std::string hash = content_hash(*bytes);
    LibrarySources sources{std::move(*bytes), {}, {}};
    for (Graph& graph : *graphs) {
      Trace trace;
      OptimizeResult result = optimize(graph, *rules, options, &trace);
      if (!result.rewriting.cycle.empty()) {
        diagnostics_.error_at(command_.model, result.rewriting.cycle, "leave one of these rules out");
        return std::nullopt;
      }
      add_fired(trace, fired);
      sources.traces.push_back(print_trace({recipe.model, hash, trace}));
    }
    sources.rules = texts_of(*rules, fired);
    return sources;
  }

  // As they will be read from the library's folder: the numbers that a trace has for patterns depend on how a rule is written.
  std::optional<std::vector<Rule>> as_printed(const std::vector<Rule>& rules) {
    std::string text;
    for (const Rule& rule : rules) {
      text += is_expected_wrong(rule) ? "" : print_rule(rule) + "\n";
    }
    return text.empty() ? std::optional(std::vector<Rule>{})
                        : parse_rules(std::make_shared<Source>(std::string(kLibraryRules), text), diagnostics_);
  }

  static void add_fired(const Trace& trace, std::set<std::string>& fired) {
    for (const auto& step : trace.steps) {
      if (const auto* rewrite = std::get_if<TraceStep>(&step)) {
        fired.insert(rewrite->rule);
      }
    }
  }

  static std::string texts_of(const std::vector<Rule>& rules, const std::set<std::string>& fired) {
    std::string text;
    for (const Rule& rule : rules) {
      text += fired.contains(rule.name) ? print_rule(rule) + "\n" : "";
    }
    return text;
  }

  const BuildCommand& command_;
  Diagnostics diagnostics_;
};

}  // namespace

ExitCode build_model(const BuildCommand& command) {
  ExitCode code = BuildRun(command).run();
  if (code != ExitCode::Ok || command.emit.empty()) {
    return code;
  }
  VerifyCommand verify;
  verify.folders = {command.out};
  verify.emit = command.emit;
  verify.store = command.store;
  verify.launcher = command.launcher;
  return verify_folders(verify);
}

void add_build_command(CLI::App& app, ExitCode& code) {
  auto command = std::make_shared<BuildCommand>();
  CLI::App* build = app.add_subcommand("build", "Make a C library of a model, with a certificate for each kernel");
  build->add_option("model", command->model, "the model (.onnx or .json)")->required();
  build->add_option("-o,--output", command->out, "the library's folder")->required()->check(refusal_as_folder, "");
  build->add_option("--rules", command->rules, "rule files or folders, without it the shipped rules; only proven rules fire");
  build->add_flag("!--no-rules", command->rewrite, "leave the model's calls as they are")->excludes("--rules");
  build->add_option("--size", command->sizes,
                    "NAME=VALUE, for a size of the model's inputs that has a name; several (NAME=1,2,4 or NAME=1..8) are told "
                    "when the library is called");
  build->add_option("--name", command->name, "what the library is called; otherwise as the model's file");
  build->add_flag("--embed", command->embed, "weights as C text instead of a file");
  build->add_flag("--no-alloc", command->no_alloc, "no function takes memory: the caller gives the arena");
  build->add_flag("--threads", command->threads, "the build file asks for OpenMP");
  build->add_flag("--plain", command->plain,
                  "kernels element by element, as the definitions have them: to be read, not waited for");
  build->add_flag("--fma", command->fma,
                  "what a kernel adds as a product is not rounded first (fmaf): for processors that have the instruction");
  build->add_flag(
      "--lanes", command->lanes,
      "exp, tanh and erf of floats by polynomials of which compilers make lanes, off by less than 1.4 units in the last place");
  build
      ->add_flag(
          "--reorder", command->reorder,
          "sums that one accumulator would leave waiting have partial sums: equal over the reals, floats may round differently")
      ->excludes("--plain");
  auto* target =
      add_target(*build, command->target, "kernels in tiles for the registers of that processor; the same bits by all");
  target->capture_default_str()->excludes("--plain");
  build
      ->add_option("--targets", command->targets,
                   "a version of each kernel in tiles for each of these processors, chosen when it is called; with commas, from "
                   "generic, avx2, avx512")
      ->excludes("--plain")
      ->excludes(target);
  build->add_option("--json", command->json, "the manifest, for machines: to this file, or - for standard output");
  auto* store = build->add_option("--store", command->store, "folder of Coq's answers, for --emit");
  auto* emit = build->add_option("--emit", command->emit, "'ninja FILE': write the library's certificates as jobs for Ninja")
                   ->type_size(2)
                   ->expected(1)
                   ->allow_extra_args(false)
                   ->needs(store);
  build->add_option("--launcher", command->launcher, "what runs the command of each job, such as 'srun -n1 -c1 --quiet'")
      ->needs(emit);
  build->callback([command, &code] {
    if (!command->emit.empty() && command->emit.front() != "ninja") {
      throw CLI::ValidationError("--emit", "expected 'ninja FILE', found '" + command->emit.front() + "'");
    }
    code = build_model(*command);
  });
}

}  // namespace vouch
