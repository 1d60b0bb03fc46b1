// The subcommands for editors: fmt, lsp.
#pragma once

#include "driver/exit_code.h"

namespace CLI {
class App;
}

namespace vouch {

void add_editor_commands(CLI::App& app, ExitCode& code);

}  // namespace vouch
