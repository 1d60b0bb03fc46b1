#include "driver/refute_commands.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "driver/import_command.h"
#include "driver/refute_command.h"

namespace vouch {

static void add_import(CLI::App& app, ExitCode& code) {
  auto command = std::make_shared<ImportCommand>();
  CLI::App* import = app.add_subcommand("import-rules", "Turn a foreign rule set into rule text");
  import->add_option("kind", command->kind, "whose rules")->required()->check(CLI::IsMember({"taso"}));
  import->add_option("file", command->file, "the rules (.json)")->required();
  import->add_option("-o,--output", command->out, "folder for the rule files")->required();
  import->callback([command, &code] { code = import_rules(*command);
});
}  // namespace vouch

static void add_refute(CLI::App& app, ExitCode& code) {
  auto command = std::make_shared<RefuteCommand>();
  CLI::App* refute = app.add_subcommand("refute", "Look for counterexamples to rules, without proving anything");
  refute->add_option("rules", command->rules, "rule files or folders")->required();
  refute->add_option("--rule", command->only, "this rule alone");
  refute->add_option("--save", command->save, "folder for reproductions, for `vouch replay`");
  refute->add_option("--seed", command->seed, "of the search")->capture_default_str();
  refute->add_option("--assignments", command->assignments, "of sizes and attributes, for each instance")->capture_default_str();
  refute->add_option("--draws", command->draws, "of elements, for each assignment")->capture_default_str();
  refute->add_flag("--suggest", command->suggest, "search for conditions that repair a refuted rule");
  refute->callback([command, &code] { code = refute_rules(*command); });
}

static void add_replay(CLI::App& app, ExitCode& code) {
  auto path = std::make_shared<std::string>();
  CLI::App* replay = app.add_subcommand("replay", "Run a saved counterexample again, in exact arithmetic");
  replay->add_option("file", *path, "what `--save` wrote (.json)")->required();
  replay->callback([path, &code] { code = replay_file(*path); });
}

void add_refute_commands(CLI::App& app, ExitCode& code) {
  add_refute(app, code);
  add_replay(app, code);
  add_import(app, code);
}

}  // namespace vouch
