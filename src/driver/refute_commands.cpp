#include "driver/refute_commands.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "driver/import_command.h"

namespace vouch {

static void add_import(CLI::App& app, ExitCode& code) {
  auto command = std::make_shared<ImportCommand>();
  CLI::App* import = app.add_subcommand("import-rules", "Turn a foreign rule set into rule text");
  import->add_option("kind", command->kind, "whose rules")->required()->check(CLI::IsMember({"taso"}));
  import->add_option("file", command->file, "the rules (.json)")->required();
  import->add_option("-o,--output", command->out, "folder for the rule files")->required();
  import->callback([command, &code] { code = import_rules(*command); });
}

void add_refute_commands(CLI::App& app, ExitCode& code) {
  add_import(app, code);
}

}  // namespace vouch
